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
    %a = Const [value = 2.0]
    %b = Const [value = 3.0]
    %c = Const [value = 5.0]
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
    %a = Const [value = [1 2 3 4]]
    %p.0 = Const [value = [1 2]]
    %p.1 = Const [value = [3 4]]
    %y = Add(%x, %p.1)
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
    %a = Const [value = 2] after %i
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
    %a = Const [value = [1 2 3 4]]
    %b = Const [value = [-1 -2 -3 -4]]
  })");
}

}  // namespace
}  // namespace sluice
