#include "sluice/passes/may_move.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

// Of known sizes they may be moved and left out; two lacked the trait that
// their twins had.
TEST(MayMove, NormsOfKnownSizesCannotFail) {
  auto graph = ParseOrDie(
      R"(graph g(%x: f32[2,3,4], %s: f32[3], %t: f32[3]) -> (%a, %b, %c, %d) {
    %a, %am, %ar = GroupNorm(%x, %s, %t) [groups = 3]
    %b, %bm, %br = InstanceNorm(%x, %s, %t)
    %c, %cm, %cv = BatchNorm(%x, %s, %t)
    %d = BatchNormInference(%x, %s, %t, %s, %t)
  })");
  for (const Node* node : graph->root().nodes()) {
    if (node->num_inputs() > 0) EXPECT_TRUE(CannotFail(*node)) << node->name();
  }
  auto open = ParseOrDie(
      R"(graph g(%x: f32[2,?,4], %s: f32[3], %t: f32[3]) -> (%b) {
    %b, %bm, %br = InstanceNorm(%x, %s, %t)
  })");
  EXPECT_FALSE(CannotFail(*open->FindNode("b")));
}

}  // namespace
}  // namespace sluice
