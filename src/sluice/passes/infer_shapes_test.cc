#include "sluice/passes/infer_shapes.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

TEST(RefineShapes, FollowsNewlyKnownArguments) {
  auto graph = ParseOrDie(R"(graph g(%x: f32[?,4], %p: bool[]) -> (%b) {
    %a = Neg(%x)
    %b = Add(%a, 1)
    %y = TestIf(%p) [dtype = f32] {
      then() { %c = Exp(%b) yield %c } else() { } }
  })");
  EXPECT_FALSE(*RefineShapes(*graph));
  graph->SetArgShape(graph->root(), 0, PartialShape({8, 4}));
  EXPECT_TRUE(*RefineShapes(*graph));
  EXPECT_EQ(graph->FindNode("b")->output_type(0).ToString(), "f32[8,4]");
  EXPECT_EQ(graph->FindNode("c")->output_type(0).ToString(), "f32[8,4]");
  EXPECT_FALSE(*RefineShapes(*graph));
  EXPECT_TRUE(Verify(*graph).ok());
}

TEST(RefineShapes, KeepsWhatWasStated) {
  auto graph = ParseOrDie(R"(graph g(%x: f32[?,?]) {
    %a = Neg(%x) : f32[?,4]
  })");
  graph->SetArgShape(graph->root(), 0, PartialShape({8, kUnknownDim}));
  EXPECT_TRUE(*RefineShapes(*graph));
  EXPECT_EQ(graph->FindNode("a")->output_type(0).ToString(), "f32[8,4]");
}

TEST(RefineShapes, ContradictionsNameTheNodeAndItsLine) {
  auto graph = ParseOrDie(R"(graph g(%x: f32[?], %z: f32[3]) {
    %a = Add(%x, %z) @ "model.cc":7
  })");
  graph->SetArgShape(graph->root(), 0, PartialShape({2}));
  Result<bool> refined = RefineShapes(*graph);
  ASSERT_FALSE(refined.ok());
  EXPECT_NE(refined.status().message().find("[Add]"), std::string::npos);
  EXPECT_NE(refined.status().message().find("at model.cc:7 (node \"a\""),
            std::string::npos)
      << refined.status().message();

  graph = ParseOrDie("graph g(%x: f32[?]) { %a = Neg(%x) : f32[4] }");
  graph->SetArgShape(graph->root(), 0, PartialShape({2}));
  refined = RefineShapes(*graph);
  ASSERT_FALSE(refined.ok());
  EXPECT_NE(refined.status().message().find(
                "[Neg] output 0 is [4]; with the shapes fed it is [2]"),
            std::string::npos)
      << refined.status().message();
}

// The values that a gradient keeps for the untaken side of a branch have no
// elements; knowing this early says nothing about the taken side.
TEST(RefineShapes, ChecksInBranchesAreLeftToTheStep) {
  auto graph = ParseOrDie(R"(graph g(%x: f32[...], %p: bool[]) -> (%y) {
    %y = If(%p) [dtypes = {f32}] : f32[3] {
      then() { %c = EnsureShape(%x) [shape = [3]] : f32[3] yield %c }
      else() { %d = Const [value = [1 2 3] : f32[3]] : f32[3] yield %d } }
  })");
  graph->SetArgShape(graph->root(), 0, PartialShape({0}));
  ASSERT_TRUE(RefineShapes(*graph).ok());
  EXPECT_EQ(graph->FindNode("c")->output_type(0).ToString(), "f32[3]");
  // The graph is still valid: it verifies, prints and parses.
  EXPECT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  EXPECT_EQ(PrintGraph(*ParseOrDie(PrintGraph(*graph))), PrintGraph(*graph));

  graph = ParseOrDie(R"(graph g(%x: f32[...]) -> (%c) {
    %c = EnsureShape(%x) [shape = [3]] : f32[3]
  })");
  graph->SetArgShape(graph->root(), 0, PartialShape({0}));
  EXPECT_FALSE(RefineShapes(*graph).ok());
}

// They may not run: the planner for fed sizes checks this flag.
TEST(RefineShapes, ContradictionsInRegionsSaySo) {
  for (const char* text : {R"(graph g(%x: f32[?], %p: bool[]) -> (%y) {
    %z = Const [value = [1 2 3] : f32[3]]
    %y = If(%p) [dtypes = {f32}] : f32[?] {
      then() { %c = Add(%x, %z) yield %c } else() { yield %x } }
  })",
                           R"(graph g(%x: f32[?]) -> (%a) {
    %z = Const [value = [1 2 3] : f32[3]]
    %a = Add(%x, %z)
  })"}) {
    auto graph = ParseOrDie(text);
    graph->SetArgShape(graph->root(), 0, PartialShape({2}));
    bool in_region = false;
    EXPECT_FALSE(RefineShapes(*graph, &in_region).ok());
    EXPECT_EQ(in_region, graph->FindNode("c") != nullptr);
  }
}

}  // namespace
}  // namespace sluice
