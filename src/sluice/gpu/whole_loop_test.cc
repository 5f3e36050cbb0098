#include "sluice/gpu/whole_loop.h"

#include <gtest/gtest.h>

#include "sluice/gpu/loop_regions.h"
#include "sluice/graph/text_parser.h"
#include "sluice/kernels/cuda/nvrtc.h"

namespace sluice {
namespace {

class WholeLoopTest : public ::testing::Test {
 protected:
  WholeLoop Of(std::string_view text) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    graph_ = std::move(*graph);
    for (const Node* node : graph_->root().nodes()) {
      if (node->op().flow == Flow::kLoop) return WriteWholeLoop(*node);
    }
    return {};
  }

  std::unique_ptr<Graph> graph_;
};

constexpr std::string_view kVector = R"(
graph g(%x: f32[6,5], %row: f32[5], %limit: f32[]) {
  %zero = Const [value = 0 : f32[]] : f32[]
  %w = While(%x, %zero) [dtypes = {f32, f32}] : f32[6,5], f32[] {
    cond(%v: f32[6,5], %n: f32[]) {
      %c = Less(%n, %limit) : bool[]
      yield %c
    }
    body(%v: f32[6,5], %n: f32[]) {
      %one = Const [value = 1 : f32[]] : f32[]
      %a = Add(%v, %row) : f32[6,5]
      %s = Sin(%a) : f32[6,5]
      %m = Add(%n, %one) : f32[]
      yield %s, %m
    }
  }
}
)";

TEST_F(WholeLoopTest, ReadsWhatIsOutsideOnce) {
  WholeLoop whole = Of(kVector);
  ASSERT_FALSE(whole.source.empty());
  EXPECT_EQ(whole.space, (Shape{6, 5}));
  // x, limit, row; zero and one are literals in the source.
  ASSERT_EQ(whole.inputs.size(), 3u);
  EXPECT_EQ(whole.inputs[0].access, FusedAccess::kFlat);
  EXPECT_EQ(whole.inputs[1].access, FusedAccess::kScalar);
  EXPECT_EQ(whole.inputs[2].access, FusedAccess::kStrided);
  EXPECT_EQ(whole.label, "loop [6,5]: Less | Add Sin Add");
}

TEST_F(WholeLoopTest, CompilesForAGpu) {
  if (Result<CompileResult> any = CompileWithNvrtc("", 90); !any.ok()) {
    GTEST_SKIP() << any.status().message();
  }
  WholeLoop whole = Of(kVector);
  Result<CompileResult> compiled = CompileWithNvrtc(whole.source, 90);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message() << whole.source;
}

TEST_F(WholeLoopTest, ThreadsThatNeedEachOtherAreNone) {
  EXPECT_EQ(Of(R"(
graph g(%x: f32[4], %limit: f32[]) {
  %w = While(%x) [dtypes = {f32}] : f32[4] {
    cond(%v: f32[4]) {
      %s = Sum(%v) : f32[]
      %c = Less(%s, %limit) : bool[]
      yield %c
    }
    body(%v: f32[4]) {
      %a = Add(%v, %v) : f32[4]
      yield %a
    }
  }
}
)")
                .source,
            "");
}

TEST_F(WholeLoopTest, TwoShapesAreNone) {
  EXPECT_EQ(Of(R"(
graph g(%x: f32[4], %y: f32[5], %n: f32[], %limit: f32[]) {
  %w = While(%x, %y, %n) [dtypes = {f32, f32, f32}] : f32[4], f32[5], f32[] {
    cond(%u: f32[4], %v: f32[5], %k: f32[]) {
      %c = Less(%k, %limit) : bool[]
      yield %c
    }
    body(%u: f32[4], %v: f32[5], %k: f32[]) {
      %one = Const [value = 1 : f32[]] : f32[]
      %a = Add(%u, %u) : f32[4]
      %b = Add(%v, %v) : f32[5]
      %m = Add(%k, %one) : f32[]
      yield %a, %b, %m
    }
  }
}
)")
                .source,
            "");
}

}  // namespace
}  // namespace sluice
