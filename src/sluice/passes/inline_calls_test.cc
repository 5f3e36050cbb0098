#include "sluice/passes/inline_calls.h"

#include "sluice/passes/infer_shapes.h"
#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Inline(Graph& graph) { return InlineCalls(graph); }

TEST(InlineCalls, ASmallFunctionIsCopiedToItsCalls) {
  const char* text = R"(graph g(%x: f32[], %z: f32[]) -> (%c, %d) {
    %k = Neg(%z)
    %f = Function {
      body(%a: f32[], %b: f32[]) { %s = Mul(%a, %b) %t = Add(%s, %k) yield %t }
    }
    %c = Call(%f, %x, %z) [dtypes = {f32}] : f32[]
    %d = Call(%f, %c, %x) [dtypes = {f32}] : f32[]
  })";
  ExpectRewrite(Inline, text, R"(graph g(%x: f32[], %z: f32[]) -> (%t_1, %t) {
    %k = Neg(%z)
    %s_1 = Mul(%x, %z) key 0xaf63ee4c86020b23
    %t_1 = Add(%s_1, %k) key 0xaf63e94c860202a3
    %s = Mul(%t_1, %x)
    %t = Add(%s, %k)
  })");
  ExpectSameMeaning(Inline, text,
                    {{Array::Scalar(3.0f), Array::Scalar(0.25f)}});
}

TEST(InlineCalls, AFunctionCalledOnceTakesTheShapesOfTheCall) {
  const char* text = R"(graph g(%x: f32[4], %z: f32[4]) -> (%c) {
    %f = Function {
      body(%a: f32[?], %b: f32[?]) { %s = Mul(%a, %b) yield %s }
    }
    %c = Call(%f, %x, %z) [dtypes = {f32}] : f32[?]
  })";
  auto inline_and_infer = [](Graph& graph) -> Result<bool> {
    SL_ASSIGN_OR_RETURN(bool changed, InlineCalls(graph));
    SL_RETURN_IF_ERROR(RefineShapes(graph).status());
    return changed;
  };
  ExpectRewrite(inline_and_infer, text,
                R"(graph g(%x: f32[4], %z: f32[4]) -> (%s) {
    %s = Mul(%x, %z) : f32[4]
  })");
}

TEST(InlineCalls, InLoopsAndBranches) {
  const char* text = R"(graph g(%p: bool[], %n: i32[], %x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %f = Function { body(%a: f32[]) { %s = Exp(%a) %t = Neg(%s) yield %t } }
    %w = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[] {
      cond(%i: i32[], %v: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %v: f32[]) {
        %j = Add(%i, 1)
        %y = If(%p) [dtypes = {f32}] : f32[] {
          then() { %r = Call(%f, %v) [dtypes = {f32}] : f32[] yield %r }
          else() { yield %v }
        }
        yield %j, %y
      }
    }
  })";
  ExpectRewrite(Inline, text,
                R"(graph g(%p: bool[], %n: i32[], %x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[] {
      cond(%i: i32[], %v: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %v: f32[]) {
        %j = Add(%i, 1)
        %y = If(%p) [dtypes = {f32}] : f32[] {
          then() { %s = Exp(%v) %t = Neg(%s) yield %t }
          else() { yield %v }
        }
        yield %j, %y
      }
    }
  })");
  ExpectSameMeaning(
      Inline, text,
      {{Array::Scalar(true), Array::Scalar(3), Array::Scalar(0.25f)}});
}

TEST(InlineCalls, WhatDrawsFailsOrShowsStays) {
  ExpectUnchanged(Inline, R"(graph g(%n: i32[], %x: f32[]) -> (%b, %c, %d) {
    %draws = Function { body() { %y = TestDraw() yield %y } }
    %fails = Function { body(%k: i32[]) { %q = Div(%n, %k) yield %q } }
    %says = Function { body(%v: f32[]) { %s = TestSay(%v) yield %s } }
    %b = Call(%draws) [dtypes = {f32}]
    %c = Call(%fails, %n) [dtypes = {i32}]
    %d = Call(%says, %x) [dtypes = {f32}]
  })");
}

TEST(InlineCalls, AFunctionThatCallsItselfStays) {
  auto graph = ParseOrDie(R"(graph g(%p: bool[], %x: f32[]) -> (%c) {
    %f = Function { body(%a: f32[]) { %s = TestSay(%a) yield %s } }
    %g = Function {
      body(%a: f32[]) { %again = Call(%f, %a) [dtypes = {f32}] yield %again }
    }
    %c = Call(%g, %x) [dtypes = {f32}]
  })");
  graph->SetInput(*graph->FindNode("again"), 0, graph->FindNode("g")->output());
  Result<bool> changed = InlineCalls(*graph);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
}

}  // namespace
}  // namespace sluice
