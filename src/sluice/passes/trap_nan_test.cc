#include "sluice/passes/trap_nan.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

TEST(TrapNan, StandsBehindEveryOpOfFloats) {
  std::unique_ptr<Graph> graph = ParseOrDie(R"(graph g(%x: f32[2]) -> (%z) {
    %y = Exp(%x)
    %i = Cast(%y) [dtype = i32]
    %z = Add(%y, %x)
  })");
  Result<bool> changed = TrapNan(*graph);
  ASSERT_TRUE(changed.ok()) << changed.status().message();
  EXPECT_TRUE(*changed);
  EXPECT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  std::vector<std::string> ops;
  for (Node* node : graph->root().nodes()) ops.push_back(node->op().name);
  EXPECT_EQ(ops, (std::vector<std::string>{"Exp", "TrapNan", "Cast", "Add",
                                           "TrapNan"}));
  Node* add = graph->FindNode("z");
  EXPECT_EQ(add->input(0).node->op().name, "TrapNan")
      << "what follows waits for the check";
  EXPECT_EQ(graph->root().results()[0].node->op().name, "TrapNan");
}

}  // namespace
}  // namespace sluice
