#include "sluice/session/op_times.h"

#include <gtest/gtest.h>

#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/graph/text_parser.h"
#include "sluice/session/local_master.h"

namespace sluice {
namespace {

class OpTimesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(AddSimDevices(2).ok());
    sim_ = static_cast<SimDevice*>(*Devices::Find("sim:0"));
  }
  static std::unique_ptr<Graph> Product(const std::string& where) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(
        "graph g(%x: f32[64,64]) -> (%y) { %y = MatMul(%x, %x)" + where + " }");
    EXPECT_TRUE(graph.ok()) << graph.status().message();
    return std::move(*graph);
  }
  SimDevice* sim_ = nullptr;
};

TEST_F(OpTimesTest, AreMeansByTypeAndDevice) {
  std::unique_ptr<Graph> graph = Product("");
  const Node& node = *graph->FindNode("y");
  OpTimes times;
  EXPECT_LT(times.Of(node, *sim_), 0);
  times.Add(node, *sim_, 2);
  times.Add(node, *sim_, 4);
  EXPECT_EQ(times.Of(node, *sim_), 3);
  // Another one of the kind is as quick, until it is measured.
  Device& other = **Devices::Find("sim:1");
  EXPECT_EQ(times.Of(node, other), 3);
  times.Add(node, other, 1);
  EXPECT_EQ(times.Of(node, other), 1);
  EXPECT_LT(times.Of(node, CpuDevice()), 0);
}

TEST_F(OpTimesTest, ARunThatIsTracedWritesThem) {
  for (const char* where : {" on \"sim:0\"", ""}) {
    std::unique_ptr<Graph> graph = Product(where);
    auto times = std::make_shared<OpTimes>();
    MasterOptions options;
    options.placement.times = times;
    LocalMaster master(*graph, options);
    RunOptions run;
    run.executor = ExecutorChoice::kTokens;
    FeedList feeds = {
        {graph->root().arg(0), Array::Zeros(DType::kF32, {64, 64})}};
    ASSERT_TRUE(
        master.Run(graph->root().results(), feeds, {}, run, nullptr).ok());
    EXPECT_EQ(times->version(), 0);  // nobody asked
    run.trace = true;
    RunMetadata metadata;
    ASSERT_TRUE(
        master.Run(graph->root().results(), feeds, {}, run, &metadata).ok());
    EXPECT_EQ(times->version(), 1);
    const Node& node = *graph->FindNode("y");
    if (*where) {
      EXPECT_NEAR(times->Of(node, *sim_),
                  sim_->KernelSeconds(2 * 64 * 64 * 64, 3 * 64 * 64 * 4), 1e-9);
      EXPECT_LT(times->Of(node, CpuDevice()), 0);
    } else {
      EXPECT_GT(times->Of(node, CpuDevice()), 0);
      EXPECT_LT(times->Of(node, *sim_), 0);
    }
  }
}

TEST_F(OpTimesTest, PlacementTakesThem) {
  for (bool sim_is_quick : {false, true}) {
    std::unique_ptr<Graph> graph = Product("");
    LocalPlacement placement;
    placement.search = true;
    placement.times = std::make_shared<OpTimes>();
    placement.times->Add(*graph->FindNode("y"), *sim_, sim_is_quick ? 1e-6 : 9);
    placement.times->Add(*graph->FindNode("y"), CpuDevice(),
                         sim_is_quick ? 9 : 1e-6);
    placement.times->EndOfRun();
    EXPECT_TRUE(ConcernsDevices(*graph, placement));
    Result<PlacementReport> placed = PlaceLocally(*graph, {}, placement);
    ASSERT_TRUE(placed.ok()) << placed.status().message();
    EXPECT_EQ(graph->FindNode("y")->device().find("sim") != std::string::npos,
              sim_is_quick)
        << placed->Explain();
  }
}

}  // namespace
}  // namespace sluice
