#include "sluice/passes/dead_code.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

TEST(DeadCode, RemovesWhatNobodyUses) {
  ExpectRewrite(RemoveDeadCode,
                R"(graph g(%x: f32[]) -> (%y) {
    %a = Neg(%x)
    %b = Exp(%a)
    %c = Exp(%b)
    %r = TestDraw()
    %y = Neg(%a)
  })",
                R"(graph g(%x: f32[]) -> (%y) {
    %a = Neg(%x)
    %y = Neg(%a)
  })");
}

TEST(DeadCode, KeepsResultsTargetsEffectsAndWhatTheyNeed) {
  ExpectUnchanged(RemoveDeadCode, R"(graph g(%x: f32[]) -> (%b) run %t {
    %a = Neg(%x)
    %say = TestSay(%a)
    %b = Exp(%x)
    %t = Exp(%x)
    %c = Exp(%x)
    %t2 = TestSay(%x) after %c
    %v = Variable [dtype = f32]
    %w = Assign(%v, %a)
  })");
}

TEST(DeadCode, WaitingForAConstantIsNoWaiting) {
  ExpectRewrite(RemoveDeadCode,
                R"(graph g(%x: f32[]) -> (%y) {
    %k = Const [value = 1]
    %a = Neg(%x)
    %y = Neg(%x) after %k, %a
  })",
                R"(graph g(%x: f32[]) -> (%y) {
    %a = Neg(%x)
    %y = Neg(%x) after %a
  })");
}

TEST(DeadCode, InsideRegionsAndWholeRegions) {
  ExpectRewrite(RemoveDeadCode,
                R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
    %a = Neg(%x)
    %b = Exp(%x)
    %c = Exp(%x)
    %y = TestIf(%p) [dtype = f32] {
      then() { %d = Exp(%a) %e = Neg(%b) yield %e }
      else() { %s = TestSay(%x) yield %x }
    }
    %z = TestIf(%p) [dtype = f32] { then() { yield %c } else() { yield %x } }
    %w = TestIf(%p) [dtype = f32] { then() { %t = TestSay(%x) } else() { } }
  })",
                R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
    %b = Exp(%x)
    %y = TestIf(%p) [dtype = f32] {
      then() { %e = Neg(%b) yield %e }
      else() { %s = TestSay(%x) yield %x }
    }
    %w = TestIf(%p) [dtype = f32] { then() { %t = TestSay(%x) } else() { } }
  })");
}

}  // namespace
}  // namespace sluice
