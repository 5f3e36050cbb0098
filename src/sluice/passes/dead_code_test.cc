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

TEST(DeadCode, FunctionsNobodyCallsAndCallsNobodyNeeds) {
  ExpectRewrite(RemoveDeadCode,
                R"(graph g(%x: f32[]) -> (%y) {
    %unused = Function { body(%a: f32[]) { %s = TestSay(%a) yield %s } }
    %f = Function { body(%a: f32[]) { %e = Exp(%a) yield %e } }
    %pure = Call(%f, %x) [dtypes = {f32}]
    %says = Function { body(%a: f32[]) { %t = TestSay(%a) yield %t } }
    %said = Call(%says, %x) [dtypes = {f32}]
    %y = Neg(%x)
  })",
                R"(graph g(%x: f32[]) -> (%y) {
    %says = Function { body(%a: f32[]) { %t = TestSay(%a) yield %t } }
    %said = Call(%says, %x) [dtypes = {f32}]
    %y = Neg(%x)
  })");
}

TEST(DeadCode, AFunctionIsNotUsedByItself) {
  auto graph = ParseOrDie(R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
    %f = Function { body(%a: f32[]) { yield %a } }
    %g = Function {
      body(%a: f32[]) { %again = Call(%f, %a) [dtypes = {f32}] yield %again }
    }
    %c = Call(%g, %x) [dtypes = {f32}]
    %y = Neg(%x)
  })");
  graph->SetInput(*graph->FindNode("again"), 0, graph->FindNode("g")->output());
  ASSERT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  Result<bool> changed = RemoveDeadCode(*graph);
  ASSERT_TRUE(changed.ok());
  EXPECT_TRUE(Verify(*graph).ok());
  EXPECT_EQ(graph->num_nodes(), 1);  // y
}

TEST(DeadCode, LoopsWithoutEffects) {
  ExpectRewrite(RemoveDeadCode,
                R"(graph g(%n: i32[], %x: f32[]) -> (%x) {
    %u = While(%n) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %c = Less(%i, 9) yield %c }
      body(%i: i32[]) { %dead = Neg(%i) %j = Add(%i, 1) yield %j }
    }
    %w = While(%n) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %d = Less(%i, 9) yield %d }
      body(%i: i32[]) { %dead2 = Neg(%i) %s = TestSay(%i) yield %s }
    }
  })",
                R"(graph g(%n: i32[], %x: f32[]) -> (%x) {
    %w = While(%n) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %d = Less(%i, 9) yield %d }
      body(%i: i32[]) { %s = TestSay(%i) yield %s }
    }
  })");
}

}  // namespace
}  // namespace sluice
