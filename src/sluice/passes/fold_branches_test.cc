#include "sluice/passes/fold_branches.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Fold(Graph& graph) { return FoldBranches(graph); }

constexpr const char* kNested = R"(graph g(%x: f32[]) -> (%y, %y:1) {
    %yes = Const [value = true]
    %two = Const [value = 2]
    %y = If(%yes) [dtypes = {f32, f32}] {
      then() {
        %a = Neg(%x)
        %c = Case(%two) [dtypes = {f32}, has_default = false] {
          branch0() { yield %x }
          branch1() { %b1 = Exp(%x) yield %b1 }
          branch2() { %b2 = Exp(%a) yield %b2 }
        }
        yield %c, %a
      }
      else() { %z = Sqrt(%x) yield %z, %z }
    }
  })";

TEST(FoldBranches, TheTakenBranchTakesThePlaceOfTheNode) {
  ExpectRewrite(Fold, kNested,
                R"(graph g(%x: f32[]) -> (%b2, %a) {
    %yes = Const [value = true]
    %two = Const [value = 2]
    %a = Neg(%x)
    %b2 = Exp(%a)
  })");
  ExpectSameMeaning(Fold, kNested, {{Array::Scalar(0.5f)}});
}

TEST(FoldBranches, DefaultsAndBranchesThatGiveNothing) {
  ExpectRewrite(Fold, R"(graph g(%x: f32[]) -> (%y) {
    %far = Const [value = 7]
    %no = Const [value = false]
    %y = Case(%far) [dtypes = {f32}, has_default = true] : f32[] {
      branch0() { yield %x }
      branch1() { %b = Neg(%x) yield %b }
    }
    %w = If(%no) [dtypes = {}] {
      then() { %s = TestSay(%x) }
      else() { }
    }
    %t = TestSay(%y) after %w
  })",
                R"(graph g(%x: f32[]) -> (%b) {
    %far = Const [value = 7]
    %no = Const [value = false]
    %b = Neg(%x)
    %t = TestSay(%b) after %no
  })");
}

TEST(FoldBranches, EffectsKeepTheirPlaceAndControlsTheirOrder) {
  ExpectRewrite(Fold, R"(graph g(%x: f32[]) {
    %first = TestSay(%x)
    %yes = Const [value = true]
    %w = If(%yes) [dtypes = {}] after %first {
      then() { %s = TestSay(%x) }
      else() { }
    }
    %last = TestSay(%x) after %w
  })",
                R"(graph g(%x: f32[]) {
    %first = TestSay(%x)
    %yes = Const [value = true]
    %s = TestSay(%x) after %first
    %last = TestSay(%x) after %s, %yes
  })");
}

TEST(FoldBranches, LeavesChoicesThatAreNotKnownOrWrong) {
  ExpectUnchanged(Fold, R"(graph g(%p: bool[], %x: f32[]) -> (%y, %z) {
    %far = Const [value = 7]
    %y = If(%p) [dtypes = {f32}] {
      then() { yield %x }
      else() { %b = Neg(%x) yield %b }
    }
    %z = Case(%far) [dtypes = {f32}, has_default = false] {
      branch0() { yield %x }
      branch1() { %c = Neg(%x) yield %c }
    }
  })");
}

TEST(FoldBranches, SaysWhatItDid) {
  auto graph = ParseOrDie(kNested);
  std::vector<std::string> notes;
  ASSERT_TRUE(FoldBranches(*graph, &notes).ok());
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("[If] always takes then"), std::string::npos)
      << notes[0];
}

TEST(FoldBranches, AmongPrimitivesAConstantMayBeDead) {
  ExpectUnchanged(Fold, R"(graph g(%p: bool[], %x: i32[]) -> (%m) {
    %s = Switch(%x, %p)
    %pivot = Neg(%s)
    %yes = Const [value = true] after %pivot
    %y = If(%yes) [dtypes = {i32}] { then() { yield %x } else() { yield %x } }
    %m = Merge(%y, %s:1)
  })");
}

}  // namespace
}  // namespace sluice
