#include "sluice/passes/branch_results.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Simplify(Graph& graph) { return SimplifyBranchResults(graph); }

TEST(BranchResults, UnusedOnesGo) {
  ExpectRewrite(Simplify, R"(graph g(%p: bool[], %x: f32[]) -> (%y:1) {
    %y = If(%p) [dtypes = {f32, f32}] {
      then() { %a = Exp(%x) %b = Neg(%x) yield %a, %b }
      else() { %c = Sqrt(%x) yield %c, %x }
    }
  })",
                R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
    %y = If(%p) [dtypes = {f32}] {
      then() { %a = Exp(%x) %b = Neg(%x) yield %b }
      else() { %c = Sqrt(%x) yield %x }
    }
  })");
}

TEST(BranchResults, TheSameInAllIsTheValueItself) {
  const char* text = R"(graph g(%i: i32[], %x: f32[]) -> (%y, %y:1) {
    %o = Neg(%x)
    %y = Case(%i) [dtypes = {f32, f32}, has_default = true] {
      branch0() { yield %o, %x }
      branch1() { %b = Exp(%x) yield %o, %b }
    }
  })";
  ExpectRewrite(Simplify, text,
                R"(graph g(%i: i32[], %x: f32[]) -> (%o, %y) {
    %o = Neg(%x)
    %y = Case(%i) [dtypes = {f32}, has_default = true] {
      branch0() { yield %x }
      branch1() { %b = Exp(%x) yield %b }
    }
  })");
  ExpectSameMeaning(Simplify, text,
                    {{Array::Scalar<int32_t>(0), Array::Scalar(2.0f)},
                     {Array::Scalar<int32_t>(5), Array::Scalar(2.0f)}});
}

TEST(BranchResults, NestedNamesControlsAndTargetsStay) {
  ExpectRewrite(Simplify, R"(graph g(%p: bool[], %x: f32[]) -> (%y) run %y {
    %y = If(%p) [dtypes = {f32, f32}] key 0x2a @ "m.cc":3 {
      then() run %z {
        %z = If(%p) [dtypes = {f32, f32}] {
          then() { %a = Exp(%x) yield %a, %x }
          else() { %b = Sqrt(%x) yield %b, %b }
        }
        yield %z:1, %x
      }
      else() { yield %x, %x }
    }
    %s = TestSay(%x) after %y
  })",
                R"(graph g(%p: bool[], %x: f32[]) -> (%y) run %y {
    %y = If(%p) [dtypes = {f32}] key 0x2a {
      then() run %z {
        %z = If(%p) [dtypes = {f32}] {
          then() { %a = Exp(%x) yield %x }
          else() { %b = Sqrt(%x) yield %b }
        }
        yield %z
      }
      else() { yield %x }
    }
    %s = TestSay(%x) after %y
  })");
}

// When p is true the predicate is dead, and with it the result; x is alive.
TEST(BranchResults, AmongPrimitivesAResultMayBeDead) {
  ExpectUnchanged(Simplify, R"(graph g(%p: bool[], %x: i32[]) -> (%m) {
    %s = Switch(%p, %p)
    %y = If(%s) [dtypes = {i32}] { then() { yield %x } else() { yield %x } }
    %t = Switch(%x, %p)
    %m = Merge(%y, %t:1)
  })");
}

}  // namespace
}  // namespace sluice
