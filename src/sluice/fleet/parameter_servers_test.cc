// Variables in tasks and training with them, in one process: a session without
// a target runs a graph whatever tasks it names. Tests with real tasks are in
// python/tests/test_parameter_servers.py.
#include "sluice/fleet/parameter_servers.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "sluice/fleet/servers_test_util.h"
#include "sluice/fleet/sharded_table.h"
#include "sluice/graph/node.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

namespace dist = distributed;

std::string DeviceOf(const Operation& op) { return op.node().device(); }
std::string DeviceOf(const Variable& v) {
  return DeviceOf(v.handle().operation());
}

TEST(ParameterServers, OneAfterTheOther) {
  Graph graph;
  GraphScope building(graph);
  dist::ParameterServers servers(kTasks);
  PlacerScope placed(servers);
  Variable a = variable({1.0f, 2.0f}, "a"), b = variable(1.0f, "b");
  EXPECT_EQ(DeviceOf(a), kTasks[0]);
  EXPECT_EQ(DeviceOf(b), kTasks[1]);
  EXPECT_EQ(DeviceOf(b.initializer()), kTasks[1]);
  {
    DeviceScope own("/job:worker/task:3");
    EXPECT_EQ(DeviceOf(variable(1.0f, "c")), "/job:worker/task:3");
  }
  EXPECT_EQ(DeviceOf(variable(1.0f, "d")), kTasks[0]);
}

TEST(ParameterServers, ToTheTaskWithTheFewestBytes) {
  Graph graph;
  GraphScope building(graph);
  dist::ParameterServers servers(kTasks, dist::Spread::kBySize);
  PlacerScope placed(servers);
  std::vector<int64_t> sizes = {10, 4, 4, 4};
  std::vector<std::string> places;
  for (int64_t n : sizes) {
    places.push_back(DeviceOf(variable(DType::kF32, {n})));
  }
  EXPECT_EQ(places, (std::vector<std::string>{kTasks[0], kTasks[1], kTasks[1],
                                              kTasks[1]}));
  EXPECT_EQ(servers.bytes(), (std::vector<int64_t>{40, 48}));
}

TEST(ParameterServers, RefusesWhatIsNoTask) {
  EXPECT_EQ(Message([] { dist::ParameterServers none({}); }),
            "parameter_servers: there are no tasks; wanted at least one");
  EXPECT_EQ(Message([] { dist::ParameterServers none({"/gpu:0"}); }),
            "parameter_servers: \"/gpu:0\" names no task; wanted a name like "
            "\"/job:ps/task:0\"");
  EXPECT_EQ(
      Message([] { dist::ParameterServers twice({kTasks[0], kTasks[0]}); }),
      "parameter_servers: the task \"/job:ps/task:0\" is there twice");
}

// Once a read in the scope of a worker ran in the worker's task, which does not
// have the variable: steps over tasks refused such graphs.
TEST(ParameterServers, StateIsUsedWhereItIs) {
  Graph graph;
  GraphScope building(graph);
  dist::ParameterServers servers({kTasks[0]});
  std::optional<PlacerScope> placed(servers);
  Variable w = variable({1.0f, 2.0f}, "w");
  placed.reset();
  DeviceScope here("/job:worker/task:0");
  Tensor x = w.read();
  EXPECT_EQ(DeviceOf(x.operation()), kTasks[0]);
  EXPECT_EQ(DeviceOf(w.assign_add({1.0f, 1.0f})), kTasks[0]);
  EXPECT_EQ(DeviceOf((x * 2.0f).operation()), "/job:worker/task:0");
}

TEST(ParameterServers, OptimizersWorkBesideTheirVariables) {
  Graph graph;
  GraphScope building(graph);
  dist::ParameterServers servers(kTasks);
  std::optional<PlacerScope> placed(servers);
  Variable a = variable({1.0f, 2.0f}, "a"), b = variable({3.0f}, "b");
  placed.reset();
  DeviceScope here("/job:worker/task:0");
  (void)optim::Adam(0.1).minimize(sum(a * a) + sum(b * b));
  std::map<std::string, int> slots;
  MutexLock lock(graph.mu());
  for (Node* node : graph.root().nodes()) {
    if (node->op().role != Role::kVariable || !node->name().starts_with("adam"))
      continue;
    EXPECT_TRUE(node->device().starts_with("/job:ps")) << node->name();
    ++slots[node->device()];
    bool of_b = node->name().starts_with("adam/b/");
    EXPECT_EQ(node->device(), kTasks[of_b ? 1 : 0]) << node->name();
  }
  EXPECT_EQ(slots.size(), 2u);
}

TEST(ShardedTable, RowsAreFoundAndChangedWhereTheyAre) {
  for (ShardStrategy strategy : {ShardStrategy::kMod, ShardStrategy::kDiv}) {
    Graph graph;
    GraphScope building(graph);
    dist::ParameterServers servers(kTasks);
    dist::ShardedTable table(servers, {5, 2}, {.strategy = strategy});
    ASSERT_EQ(table.parts().size(), 2u);
    EXPECT_EQ(table.parts()[0].shape(), PartialShape({3, 2}));
    EXPECT_EQ(DeviceOf(table.parts()[1]), kTasks[1]);
    DeviceScope here("/job:worker/task:0");
    Tensor ids = placeholder(DType::kI64, {any});
    Tensor rows = table.lookup(ids);
    Operation step = optim::SGD(1.0).minimize(sum(rows * 2.0f), table.parts());
    {
      MutexLock lock(graph.mu());
      for (Node* node : graph.root().nodes()) {
        if (node->op().role == Role::kGather &&
            node->inputs()[0].node->op().role != Role::kConst &&
            node->inputs()[0].dtype() == DType::kF32 &&
            node->name().find("gradients") == std::string::npos) {
          EXPECT_TRUE(node->device().starts_with("/job:ps")) << node->name();
        }
      }
    }
    Session session(graph);
    session.run(initialize_variables(graph));
    session.run(step, {{ids, Array::Vector<int64_t>({4, 1, 4})}});
    // Row 4 twice, row 1 once.
    Array all =
        session.run(rows, {{ids, Array::Vector<int64_t>({0, 1, 2, 3, 4})}});
    EXPECT_EQ(Floats(all),
              (std::vector<float>{0, 0, -2, -2, 0, 0, 0, 0, -4, -4}));
    EXPECT_NE(Message([&] {
                session.run(rows, {{ids, Array::Vector<int64_t>({5})}});
              }).find("indices[0]"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace sluice
