#include "sluice/passes/hoist_invariants.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Hoist(Graph& graph) { return HoistInvariants(graph); }

constexpr const char* kNested =
    R"(graph g(%n: i32[], %x: f32[2,3], %w: f32[4,3]) -> (%u:1) {
    %i0 = Const [value = 0]
    %z = Const [value = [0 0 0 0 0 0 0 0] : f32[2,4]]
    %u = While(%i0, %z) [dtypes = {i32, f32}] : i32[], f32[2,4] {
      cond(%i: i32[], %v: f32[2,4]) {
        %m = Sub(%n, 1) %c = Less(%i, %m) yield %c
      }
      body(%i: i32[], %v: f32[2,4]) {
        %j = Add(%i, 1)
        %y = While(%i0, %v) [dtypes = {i32, f32}] : i32[], f32[2,4] {
          cond(%ii: i32[], %vv: f32[2,4]) { %cc = Less(%ii, %j) yield %cc }
          body(%ii: i32[], %vv: f32[2,4]) {
            %jj = Add(%ii, 1)
            %t = Transpose(%w)
            %p = MatMul(%x, %t)
            %f = Cast(%j) [dtype = f32]
            %q = Mul(%p, %f)
            %s = Add(%vv, %q)
            yield %jj, %s
          }
        }
        yield %j, %y:1
      }
    }
  })";

TEST(HoistInvariants, ToTheOutermostPlace) {
  ExpectRewrite(Hoist, kNested,
                R"(graph g(%n: i32[], %x: f32[2,3], %w: f32[4,3]) -> (%u:1) {
    %i0 = Const [value = 0]
    %z = Const [value = [0 0 0 0 0 0 0 0] : f32[2,4]]
    %m.b = Const [value = 1]
    %m = Sub(%n, %m.b)
    %t = Transpose(%w)
    %p = MatMul(%x, %t)
    %u = While(%i0, %z) [dtypes = {i32, f32}] : i32[], f32[2,4] {
      cond(%i: i32[], %v: f32[2,4]) { %c = Less(%i, %m) yield %c }
      body(%i: i32[], %v: f32[2,4]) {
        %j = Add(%i, 1)
        %f = Cast(%j) [dtype = f32]
        %q = Mul(%p, %f)
        %y = While(%i0, %v) [dtypes = {i32, f32}] : i32[], f32[2,4] {
          cond(%ii: i32[], %vv: f32[2,4]) { %cc = Less(%ii, %j) yield %cc }
          body(%ii: i32[], %vv: f32[2,4]) {
            %jj = Add(%ii, 1)
            %s = Add(%vv, %q)
            yield %jj, %s
          }
        }
        yield %j, %y:1
      }
    }
  })");
  Array x = Array::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6.5f});
  Array w = Array::Of<float>({4, 3}, {1, 0, 2, 3, 1, 1, 0.1f, 2, 3, 1, 1, 1});
  ExpectSameMeaning(Hoist, kNested,
                    {{Array::Scalar(4), x, w}, {Array::Scalar(0), x, w}});
}

// Each line reads only loop invariants and must stay nevertheless: it can fail,
// has an effect, draws, waits, or is in a branch.
TEST(HoistInvariants, WhatCouldFailOrShowStays) {
  ExpectUnchanged(Hoist, R"(graph g(%n: i32[], %p: bool[], %x: f32[2],
                                    %a: f32[?], %b: f32[?]) -> (%u) {
    %i0 = Const [value = 0]
    %u = While(%i0) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[]) {
        %divides = Div(%n, %n)
        %gathers = Gather(%x, %n)
        %checks = CheckNumerics(%x)
        %broadcasts = Add(%a, %b)
        %says = TestSay(%x)
        %draws = TestDraw()
        %waits = Neg(%x) after %says
        %branches = If(%p) [dtypes = {f32}] {
          then() { %e = Exp(%x) yield %e }
          else() { yield %x }
        }
        %j = Add(%i, 1)
        yield %j
      }
    }
  })");
}

TEST(HoistInvariants, SizesThatBroadcastWhateverTheyAreDoNotFail) {
  ExpectRewrite(Hoist, R"(graph g(%n: i32[], %a: f32[s0], %b: f32[s0])
                              -> (%u) {
    %i0 = Const [value = 0]
    %u = While(%i0) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[]) { %s = Add(%a, %b) %j = Add(%i, 1) yield %j }
    }
  })",
                R"(graph g(%n: i32[], %a: f32[s0], %b: f32[s0]) -> (%u) {
    %i0 = Const [value = 0]
    %s = Add(%a, %b)
    %u = While(%i0) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[]) { %j = Add(%i, 1) yield %j }
    }
  })");
}

TEST(HoistInvariants, ALoopInABranchLeavesItsNodesInTheBranch) {
  ExpectRewrite(Hoist, R"(graph g(%n: i32[], %p: bool[], %x: f32[2]) -> (%y) {
    %i0 = Const [value = 0]
    %y = If(%p) [dtypes = {f32}] : f32[2] {
      then() {
        %u = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[2] {
          cond(%i: i32[], %v: f32[2]) { %c = Less(%i, %n) yield %c }
          body(%i: i32[], %v: f32[2]) {
            %j = Add(%i, 1) %e = Exp(%x) %s = Add(%v, %e) yield %j, %s
          }
        }
        yield %u:1
      }
      else() { yield %x }
    }
  })",
                R"(graph g(%n: i32[], %p: bool[], %x: f32[2]) -> (%y) {
    %i0 = Const [value = 0]
    %y = If(%p) [dtypes = {f32}] : f32[2] {
      then() {
        %e = Exp(%x)
        %u = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[2] {
          cond(%i: i32[], %v: f32[2]) { %c = Less(%i, %n) yield %c }
          body(%i: i32[], %v: f32[2]) {
            %j = Add(%i, 1) %s = Add(%v, %e) yield %j, %s
          }
        }
        yield %u:1
      }
      else() { yield %x }
    }
  })");
}

TEST(HoistInvariants, SaysWhatItDid) {
  auto graph = ParseOrDie(kNested);
  std::vector<std::string> notes;
  ASSERT_TRUE(HoistInvariants(*graph, &notes).ok());
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("1 nodes of cond are computed before the loop at"),
            std::string::npos)
      << notes[0];
}

}  // namespace
}  // namespace sluice
