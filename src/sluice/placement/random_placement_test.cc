// Random graphs with control flow, state and lists, and random wishes: every
// node gets a device that runs it, state stays together, and a placed graph
// asks for exactly what it has.
#include <gtest/gtest.h>

#include <random>

#include "sluice/graph/batch_edit.h"
#include "sluice/graph/text_printer.h"
#include "sluice/placement/colocation.h"
#include "sluice/placement/device_table.h"
#include "sluice/placement/placement_test_util.h"
#include "sluice/step/random_flow_test_util.h"

namespace sluice {
namespace {

PlacementOptions FourDevices() {
  return DevicesNamed({"cpu:0", "cpu:1", "sim:0", "sim:1"});
}

void AddWishes(Graph& graph, std::mt19937& random) {
  constexpr const char* kWishes[] = {"",      "",      "",    "cpu:1",
                                     "sim:0", "sim:1", "sim", "cpu"};
  ValueFlow flow(graph);
  BatchEdit edit(graph);
  for (Node* node : flow.nodes()) edit.SetDevice(*node, kWishes[random() % 8]);
}

void CheckPlaced(Graph& graph, const PlacementOptions& options) {
  DeviceTable table = *DeviceTable::Make(options);
  ValueFlow flow(graph);
  auto index = [&](const Node& node) {
    for (int d = 0; d < table.size(); ++d) {
      if (table.text(d) == node.device()) return d;
    }
    return -1;
  };
  for (Node* node : flow.nodes()) {
    int d = index(*node);
    ASSERT_GE(d, 0) << node->name() << " is on \"" << node->device() << "\"";
    EXPECT_TRUE(table.Running(*node)[static_cast<size_t>(d)])
        << node->name() << " = " << node->op().name << " on " << node->device();
  }
  for (const std::vector<Node*>& group : ColocationGroups(flow)) {
    for (const Node* node : group) {
      EXPECT_EQ(node->device(), group[0]->device())
          << node->name() << " and " << group[0]->name();
    }
  }
}

void Check(Graph& graph, uint32_t seed) {
  std::mt19937 random(seed);
  PlacementOptions options = FourDevices();
  options.preferred = static_cast<int>(random() % 4);
  options.search = seed % 4 == 0;
  if (seed % 3 != 0) AddWishes(graph, random);
  Result<PlacementReport> report = Place(graph, options);
  ASSERT_TRUE(report.ok()) << report.status().message();
  CheckPlaced(graph, options);
  std::string placed = PrintGraph(graph);
  // Constants that nobody asked to be somewhere have a wish now.
  options.soft = false;
  report = Place(graph, options);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(PrintGraph(graph), placed);
  EXPECT_EQ(report->unmet_wishes, 0);
}

TEST(RandomPlacement, EveryGraphIsPlacedAndStaysSo) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Check(*MakeStructuredFlow(seed).graph, seed);
    Check(*MakeRawFlow(seed).graph, seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace sluice
