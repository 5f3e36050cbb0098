// Math on a few elements over several CPU devices is one piece, and gives what
// one device gives.
#include "sluice/graph/small_math.h"

#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/graph/text_parser.h"
#include "sluice/session/local_master.h"

namespace sluice {
namespace {

class SmallMath : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Devices::AddCpus(4).ok()); }

  // A chain of ops, the next device after every third; a second result leaves
  // from its middle.
  static std::string Chain(int64_t n, int devices) {
    std::string type = StrCat("f32[", n, "]");
    std::string text =
        StrCat("graph g(%x0: ", type, ", %c: ", type, ") -> (%x24, %x10) {\n");
    const char* kOps[] = {"Add", "Mul", "Sub", "Maximum"};
    for (int i = 0; i < 24; ++i) {
      StrAppend(text, "  %x", i + 1, " = ", kOps[i % 4], "(%x", i,
                ", %c) on \"/device:cpu:", i / 3 % devices, "\"\n");
    }
    return text + "}";
  }

  struct Ran {
    std::vector<Array> results;
    size_t nodes = 0;
  };
  static Ran Run(const std::string& text, std::vector<Array> feeds,
                 bool to_host) {
    std::unique_ptr<Graph> graph = ParseGraph(text).value();
    MasterOptions options;
    options.placement.results_to_host = to_host;
    LocalMaster master(*graph, options);
    std::vector<Value> args = {graph->root().arg(0), graph->root().arg(1)};
    auto program = master.ProgramFor(args, graph->root().results(), {},
                                     ExecutorChoice::kAuto);
    EXPECT_TRUE(program.ok());
    Ran ran;
    ran.nodes = (*(*program)->PlanFor(feeds))->nodes().size();
    ArrayList results;
    Status status = master.RunProgram(**program, feeds, &results, {}, nullptr);
    EXPECT_TRUE(status.ok()) << status.message();
    for (Array& a : results) ran.results.push_back(std::move(a));
    return ran;
  }
};

TEST_F(SmallMath, IsOnePieceOverCpuDevices) {
  for (int64_t n : {int64_t{1}, kFewElements, kFewElements + 1}) {
    std::vector<float> x, c;
    for (int64_t i = 0; i < n; ++i) {
      x.push_back(0.5f + static_cast<float>(i));
      c.push_back(0.75f);
    }
    std::vector<Array> feeds = {Array::Of<float>({n}, x),
                                Array::Of<float>({n}, c)};
    Ran one = Run(Chain(n, 1), feeds, true),
        four = Run(Chain(n, 4), feeds, true);
    ASSERT_EQ(four.results.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(four.results[i].BitEquals(one.results[i])) << n;
    }
    if (n <= kFewElements) {
      EXPECT_LE(four.nodes, one.nodes + 2) << n;  // and copies of the results
    } else {
      EXPECT_GE(four.nodes, 8u) << n;
    }
  }
}

TEST_F(SmallMath, ResultsAreInTheMemoryOfTheirDevice) {
  std::vector<Array> feeds = {Array::Vector<float>({1}),
                              Array::Vector<float>({2})};
  Ran ran = Run(Chain(1, 4), feeds, false);
  ASSERT_EQ(ran.results.size(), 2u);
  // Nodes 24 and 10 of the chain.
  EXPECT_EQ(DeviceNameOf(ran.results[0].memory()), "/device:cpu:3");
  EXPECT_EQ(DeviceNameOf(ran.results[1].memory()), "/device:cpu:3");
}

TEST_F(SmallMath, DoesNotDrawLargerWorkTogether) {
  std::unique_ptr<Graph> graph = ParseGraph(R"(
graph g(%x: f32[100], %s: f32[]) -> (%d) {
  %a = Tanh(%x) on "/device:cpu:0"
  %u = Add(%s, 1) on "/device:cpu:0"
  %v = Add(%u, 1) on "/device:cpu:1"
  %b = Mul(%a, %u) on "/device:cpu:0"
  %c = Tanh(%x) on "/device:cpu:1"
  %e = Mul(%c, %v) on "/device:cpu:1"
  %d = Add(%b, %e) on "/device:cpu:0"
})")
                                     .value();
  EXPECT_TRUE(IsSmallMath(*graph->FindNode("v")));
  EXPECT_FALSE(IsSmallMath(*graph->FindNode("b")));
  LocalMaster master(*graph);
  FeedList feeds = {{graph->root().arg(0), Array::Zeros(DType::kF32, {100})},
                    {graph->root().arg(1), Array::Scalar(1.0f)}};
  auto got = master.Run(graph->root().results(), feeds, {});
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_EQ((*got)[0].data<float>()[99], 0);
}

}  // namespace
}  // namespace sluice
