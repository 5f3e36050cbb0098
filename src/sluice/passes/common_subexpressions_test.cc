#include "sluice/passes/common_subexpressions.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

constexpr auto kPass = MergeCommonSubexpressions;

TEST(CommonSubexpressions, EqualNodesBecomeTheFirst) {
  ExpectRewrite(kPass,
                R"(graph g(%x: f32[], %z: f32[]) -> (%c, %d, %e) {
    %a = Add(%x, %z)
    %b = Add(%z, %x)
    %c = Exp(%a)
    %d = Exp(%b)
    %s = Sub(%x, %z)
    %e = Sub(%z, %x)
  })",
                R"(graph g(%x: f32[], %z: f32[]) -> (%c, %c, %e) {
    %a = Add(%x, %z)
    %c = Exp(%a)
    %s = Sub(%x, %z)
    %e = Sub(%z, %x)
  })");
}

// For 0.0 and -0.0 the maximum, and the minimum, is the second operand.
TEST(CommonSubexpressions, ExtremesOfTwoHaveAnOrder) {
  ExpectUnchanged(kPass, R"(graph g(%x: f32[], %z: f32[]) -> (%a, %b, %c, %d) {
    %a = Maximum(%x, %z)
    %b = Maximum(%z, %x)
    %c = Minimum(%x, %z)
    %d = Minimum(%z, %x)
  })");
}

TEST(CommonSubexpressions, ConstantsAreComparedByElements) {
  ExpectRewrite(kPass,
                R"(graph g() -> (%a, %b, %c, %d, %e) {
    %a = Const [value = [0 1] : f32[2]]
    %b = Const [value = [0 1] : f32[2]]
    %c = Const [value = [-0 1] : f32[2]]
    %d = Const [value = [0 1] : f64[2]]
    %e = Const [value = [0 1] : f32[1,2]]
  })",
                R"(graph g() -> (%a, %a, %c, %d, %e) {
    %a = Const [value = [0 1] : f32[2]]
    %c = Const [value = [-0 1] : f32[2]]
    %d = Const [value = [0 1] : f64[2]]
    %e = Const [value = [0 1] : f32[1,2]]
  })");
}

TEST(CommonSubexpressions, KeepsWhatDiffersOrIsNotPure) {
  ExpectUnchanged(kPass, R"(graph g(%x: f32[4]) -> (%a, %b) run %t {
    %i = TestNoOp()
    %a = Neg(%x)
    %b = Neg(%x) on "/cpu:1"
    %c = Neg(%x) after %i
    %t = Neg(%x)
    %d = TestDraw()
    %e = TestDraw()
    %s1 = TestSay(%x)
    %s2 = TestSay(%x)
    %p1 = Split(%x) [num = 2]
    %p2 = Split(%x) [num = 4]
    %v = Variable [dtype = f32]
    %r1 = ReadVariable(%v) [dtype = f32]
    %r2 = ReadVariable(%v) [dtype = f32]
  })");
}

TEST(CommonSubexpressions, WhoWaitedForTheSecondWaitsForTheFirst) {
  ExpectRewrite(kPass,
                R"(graph g(%x: f32[4]) run %t {
    %i = TestNoOp()
    %a = Neg(%x) after %i
    %b = Neg(%x) after %i
    %t = TestNoOp() after %a, %b
  })",
                R"(graph g(%x: f32[4]) run %t {
    %i = TestNoOp()
    %a = Neg(%x) after %i
    %t = TestNoOp() after %a
  })");
}

TEST(CommonSubexpressions, RegionsSeeOutwardsNotSideways) {
  ExpectRewrite(kPass,
                R"(graph g(%p: bool[], %x: f32[]) -> (%y, %after) {
    %out = Exp(%x)
    %y = TestIf(%p) [dtype = f32] {
      then() { %a = Exp(%x) %b = Neg(%x) %c = Neg(%x) %s = Add(%b, %c)
               %t = Add(%s, %a) yield %t }
      else() { %d = Neg(%x) yield %d }
    }
    %after = Neg(%x)
  })",
                R"(graph g(%p: bool[], %x: f32[]) -> (%y, %after) {
    %out = Exp(%x)
    %y = TestIf(%p) [dtype = f32] {
      then() { %b = Neg(%x) %s = Add(%b, %b) %t = Add(%s, %out) yield %t }
      else() { %d = Neg(%x) yield %d }
    }
    %after = Neg(%x)
  })");
}

TEST(CommonSubexpressions, AllOutputsAreReplacedAndShapesJoined) {
  ExpectRewrite(kPass,
                R"(graph g(%x: f32[?]) -> (%n, %m) {
    %p = Split(%x) [num = 2]
    %q = Split(%x) [num = 2] : f32[3], f32[?]
    %n = Neg(%p:1)
    %m = Neg(%q:1)
  })",
                R"(graph g(%x: f32[?]) -> (%n, %n) {
    %p = Split(%x) [num = 2] : f32[3], f32[?]
    %n = Neg(%p:1)
  })");
}

}  // namespace
}  // namespace sluice
