#include "sluice/passes/fold_constants.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Fold(Graph& graph) { return FoldConstants(graph); }

TEST(FoldConstants, ChainsOfConstants) {
  ExpectRewrite(Fold,
                R"(graph g(%x: f32[]) -> (%z) {
    %a = Const [value = 2.0]
    %b = Const [value = 3.0]
    %c = Add(%a, %b)
    %y = Mul(%c, %c)
    %z = Mul(%y, %x)
  })",
                R"(graph g(%x: f32[]) -> (%z) {
    %y = Const [value = 25.0]
    %z = Mul(%y, %x)
  })");
}

TEST(FoldConstants, SeveralOutputsBecomeSeveralConstants) {
  ExpectRewrite(Fold,
                R"(graph g(%x: i32[2]) -> (%y) {
    %a = Const [value = [1 2 3 4]]
    %p = Split(%a) [num = 2]
    %y = Add(%x, %p:1)
  })",
                R"(graph g(%x: i32[2]) -> (%y) {
    %p.0 = Const [value = [1 2]]
    %p.1 = Const [value = [3 4]]
    %y = Add(%x, %p.1)
  })");
}

TEST(FoldConstants, ShapesThatAreKnown) {
  ExpectRewrite(Fold,
                R"(graph g(%x: f32[2,3], %u: f32[?,3], %big: f32[1000]) {
    %s = Shape(%x)
    %n = Size(%x)
    %r = Rank(%x)
    %z = ZerosLike(%x)
    %us = Shape(%u)
    %zb = ZerosLike(%big)
  })",
                R"(graph g(%x: f32[2,3], %u: f32[?,3], %big: f32[1000]) {
    %s = Const [value = [2 3] : i64[2]]
    %n = Const [value = 6 : i64[]]
    %r = Const [value = 2 : i64[]]
    %z = Const [value = [0 0 0 0 0 0] : f32[2,3]]
    %us = Shape(%u)
    %zb = ZerosLike(%big)
  })");
}

TEST(FoldConstants, ControlsPassOn) {
  ExpectRewrite(Fold,
                R"(graph g() run %t {
    %i = TestNoOp()
    %j = TestNoOp()
    %a = Const [value = 2] after %i
    %b = Neg(%a) after %j
    %t = TestNoOp() after %b
  })",
                R"(graph g() run %t {
    %i = TestNoOp()
    %j = TestNoOp()
    %b = Const [value = -2] after %j, %i
    %t = TestNoOp() after %b
  })");
}

TEST(FoldConstants, InsideRegions) {
  ExpectRewrite(Fold,
                R"(graph g(%p: bool[]) -> (%y) {
    %a = Const [value = 2.0]
    %y = TestIf(%p) [dtype = f32] {
      then() { %b = Neg(%a) yield %b } else() { yield %a } }
  })",
                R"(graph g(%p: bool[]) -> (%y) {
    %a = Const [value = 2.0]
    %y = TestIf(%p) [dtype = f32] {
      then() { %b = Const [value = -2.0] yield %b } else() { yield %a } }
  })");
}

TEST(FoldConstants, WhatFailsOrIsNotPureIsLeftToTheStep) {
  ExpectUnchanged(Fold, R"(graph g(%x: f32[]) -> (%q, %d) {
    %a = Const [value = 1]
    %z = Const [value = 0]
    %q = Div(%a, %z)
    %d = TestDraw()
    %s = TestSay(%a)
    %n = Neg(%x)
  })");
}

TEST(FoldConstants, LargeResultsAreNotKept) {
  constexpr std::string_view kText = R"(graph g() -> (%b) {
    %a = Const [value = [1 2 3 4]]
    %b = Neg(%a)
  })";
  ExpectUnchanged([](Graph& g) { return FoldConstants(g, 15); }, kText);
  ExpectRewrite([](Graph& g) { return FoldConstants(g, 16); }, kText,
                R"(graph g() -> (%b) {
    %b = Const [value = [-1 -2 -3 -4]]
  })");
}

TEST(FoldConstants, ConstantsStayWhileSomethingReadsThem) {
  ExpectRewrite(Fold,
                R"(graph g(%x: i32[]) -> (%d, %a, %e) run %t {
    %a = Const [value = 2]
    %t = Const [value = 3]
    %u = Const [value = 4]
    %b = Add(%a, %t)
    %c = Add(%b, %u)
    %d = Add(%b, %x)
    %e = Neg(%c)
  })",
                R"(graph g(%x: i32[]) -> (%d, %a, %e) run %t {
    %a = Const [value = 2]
    %t = Const [value = 3]
    %b = Const [value = 5]
    %d = Add(%b, %x)
    %e = Const [value = -9]
  })");
}

// A chain of 100 results of 1 MiB, and 100 independent ones: the first becomes
// one constant, the second stops at the total limit.
TEST(FoldConstants, HoldsOnlySoMuch) {
  Graph graph("g");
  Array big = Array::Zeros(DType::kF32, {1 << 18});
  Value value =
      (*graph.Add(graph.root(), "Const", {}, {{"value", big}}))->output();
  Value chain = value;
  std::vector<Value> results;
  for (int i = 0; i < 100; ++i) {
    chain = (*graph.Add(graph.root(), "Neg", std::vector<Value>{chain}, {}))
                ->output();
  }
  results.push_back(chain);
  for (int i = 0; i < 100; ++i) {
    results.push_back(
        (*graph.Add(graph.root(), "Exp", std::vector<Value>{value}, {}))
            ->output());
  }
  graph.SetResults(graph.root(), results);
  Result<bool> changed = FoldConstants(graph, 1 << 20);
  ASSERT_TRUE(changed.ok());
  EXPECT_TRUE(Verify(graph).ok()) << Verify(graph).message();
  int constants = 0;
  for (Node* node : graph.root().nodes()) {
    constants += ConstantValue(node->output()) != nullptr;
  }
  EXPECT_EQ(graph.num_nodes(), 1 + 1 + 100);
  EXPECT_EQ(constants, 1 + 17);
}

TEST(FoldConstants, TheShapeOfADeadValueIsDead) {
  ExpectUnchanged([](Graph& graph) { return FoldConstants(graph); },
                  R"(graph g(%p: bool[], %x: f32[3]) -> (%m) {
    %s = Switch(%x, %p)
    %a = Size(%s)
    %b = Rank(%s:1)
    %m = Merge(%a, %b)
  })");
}

}  // namespace
}  // namespace sluice
