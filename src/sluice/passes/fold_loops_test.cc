#include "sluice/passes/fold_loops.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Fold(Graph& graph) { return FoldLoops(graph); }

// A loop from 5 while i < limit that doubles x.
std::string Doubling(int limit, int maximum, const char* body) {
  return "graph g(%x: f32[2]) -> (%w, %w:1) {\n"
         "  %i0 = Const [value = 5]\n"
         "  %w = While(%i0, %x) [dtypes = {i32, f32}, maximum = " +
         std::to_string(maximum) +
         "] : i32[], f32[2] {\n"
         "    cond(%i: i32[], %v: f32[2]) { %c = Less(%i, " +
         std::to_string(limit) +
         ") yield %c }\n"
         "    body(%i: i32[], %v: f32[2]) { " +
         body + " }\n  }\n}";
}
constexpr const char* kDouble = "%j = Add(%i, 1) %d = Add(%v, %v) yield %j, %d";

TEST(FoldLoops, ZeroTripsGiveWhatWasGiven) {
  const char* after = R"(graph g(%x: f32[2]) -> (%i0, %x) {
    %i0 = Const [value = 5]
  })";
  ExpectRewrite(Fold, Doubling(5, -1, kDouble), after);
  ExpectRewrite(Fold, Doubling(100, 0, kDouble), after);
}

TEST(FoldLoops, OneTripIsTheBody) {
  const char* after = R"(graph g(%x: f32[2]) -> (%j, %d) {
    %i0 = Const [value = 5]
    %j.b = Const [value = 1]
    %j = Add(%i0, %j.b)
    %d = Add(%x, %x)
  })";
  ExpectRewrite(Fold, Doubling(6, -1, kDouble), after);
  ExpectRewrite(Fold, Doubling(100, 1, kDouble), after);
  ExpectSameMeaning(Fold, Doubling(6, -1, kDouble),
                    {{Array::Vector<float>({1.5f, -2})}});
}

TEST(FoldLoops, MoreTripsStay) {
  ExpectUnchanged(Fold, Doubling(7, -1, kDouble));
  ExpectUnchanged(Fold, Doubling(100, 2, kDouble));
}

TEST(FoldLoops, RandomNumbersAndErrorsBelongToTheirIteration) {
  ExpectUnchanged(Fold, Doubling(6, -1,
                                 "%j = Add(%i, 1) %r = TestDraw() "
                                 "%d = Add(%v, %r) yield %j, %d"));
  ExpectUnchanged(Fold, Doubling(6, -1,
                                 "%j = Add(%i, 1) %g = Gather(%v, %i) "
                                 "%d = Add(%v, %g) yield %j, %d"));
  ExpectUnchanged(Fold, Doubling(6, -1,
                                 "%j = Add(%i, 1) %s = TestSay(%v) "
                                 "yield %j, %s"));
}

TEST(FoldLoops, ConditionsThatPrintOrAreNotKnownStay) {
  ExpectUnchanged(Fold, R"(graph g(%x: i32[]) -> (%w, %u) {
    %i0 = Const [value = 5]
    %w = While(%i0) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %s = TestSay(%i) %c = Less(%s, 5) yield %c }
      body(%i: i32[]) { yield %i }
    }
    %u = While(%x) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %c2 = Less(%i, 5) yield %c2 }
      body(%i: i32[]) { yield %i }
    }
  })");
}

TEST(FoldLoops, LoopsInsideLoopsThatGo) {
  ExpectRewrite(Fold, R"(graph g(%x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x) [dtypes = {i32, f32}, maximum = 1] : i32[], f32[] {
      cond(%i: i32[], %v: f32[]) { %c = Less(%i, 9) yield %c }
      body(%i: i32[], %v: f32[]) {
        %a = Neg(%v)
        %u = While(%i, %a) [dtypes = {i32, f32}, maximum = 0] : i32[], f32[] {
          cond(%k: i32[], %z: f32[]) { %c2 = Less(%k, 9) yield %c2 }
          body(%k: i32[], %z: f32[]) { yield %k, %z }
        }
        %b = Exp(%u:1)
        yield %u, %b
      }
    }
  })",
                R"(graph g(%x: f32[]) -> (%b) {
    %i0 = Const [value = 0]
    %a = Neg(%x)
    %b = Exp(%a)
  })");
}

TEST(FoldLoops, AmongPrimitivesALoopIsDeadAsAWhole) {
  ExpectUnchanged(Fold, R"(graph g(%p: bool[], %x: i32[]) -> (%m) {
    %s = Switch(%x, %p)
    %w = While(%x, %s) [dtypes = {i32, i32}, maximum = 0] : i32[], i32[] {
      cond(%a: i32[], %b: i32[]) { %c = Less(%a, %b) yield %c }
      body(%a: i32[], %b: i32[]) { yield %b, %a }
    }
    %m = Merge(%w, %s:1)
  })");
}

}  // namespace
}  // namespace sluice
