#include "sluice/gpu/loop_split.h"

#include <gtest/gtest.h>

#include "sluice/gpu/loop_regions.h"
#include "sluice/gpu/whole_loop.h"
#include "sluice/graph/text_parser.h"
#include "sluice/kernels/cuda/nvrtc.h"

namespace sluice {
namespace {

class LoopSplitTest : public ::testing::Test {
 protected:
  // A loop over x, i and k with the given body.
  const Node& Loop(std::string_view body) {
    std::string text = std::string(R"(
graph g(%x: f32[4,4], %w: f32[4,4], %i: i64[], %k: i64[], %n: i64[]) {
  %one = Const [value = 1 : i64[]] : i64[]
  %loop = While(%x, %i, %k) [dtypes = {f32, i64, i64}] : f32[4,4], i64[], i64[] {
    cond(%v: f32[4,4], %a: i64[], %b: i64[]) {
      %c = Less(%a, %n) : bool[]
      yield %c
    }
    body(%v: f32[4,4], %a: i64[], %b: i64[]) {
)") + std::string(body) +
                       "    }\n  }\n}\n";
    Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    graph_ = std::move(*graph);
    for (const Node* node : graph_->root().nodes()) {
      if (node->op().flow == Flow::kLoop) return *node;
    }
    ADD_FAILURE() << "no loop";
    return *graph_->root().nodes()[0];
  }

  std::unique_ptr<Graph> graph_;
};

TEST_F(LoopSplitTest, CountersThatDecideAreApart) {
  const Node& loop = Loop(R"(
      %y = MatMul(%v, %w) : f32[4,4]
      %a1 = Add(%a, %b) : i64[]
      %b1 = Add(%b, %one) : i64[]
      yield %y, %a1, %b1
)");
  CountingPart part = FindCountingPart(loop);
  EXPECT_EQ(part.carried, (std::vector<int>{1, 2}));
  EXPECT_EQ(part.nodes.size(), 2u);
  WholeLoop counting = WriteCountingPart(loop, part);
  EXPECT_EQ(counting.label, "loop []: Less | Add Add");
  if (CompileWithNvrtc("", 90).ok()) {
    Result<CompileResult> compiled = CompileWithNvrtc(counting.source, 90);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  }
}

TEST_F(LoopSplitTest, ACounterThatTheRestReadsIsNot) {
  EXPECT_TRUE(FindCountingPart(Loop(R"(
      %f = Cast(%a) [dtype = f32] : f32[]
      %y = Mul(%v, %f) : f32[4,4]
      %a1 = Add(%a, %one) : i64[]
      yield %y, %a1, %b
)"))
                  .carried.empty());
}

TEST_F(LoopSplitTest, ALoopThatItsValuesEndIsNot) {
  EXPECT_TRUE(FindCountingPart(Loop(R"(
      %y = MatMul(%v, %w) : f32[4,4]
      %s = Sum(%y) : f32[]
      %a1 = Cast(%s) [dtype = i64] : i64[]
      yield %y, %a1, %b
)"))
                  .carried.empty());
}

}  // namespace
}  // namespace sluice
