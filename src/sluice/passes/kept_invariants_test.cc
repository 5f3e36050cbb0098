#include "sluice/passes/kept_invariants.h"

#include "sluice/base/strings.h"
#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Read(Graph& graph) { return ReadKeptInvariants(graph); }

struct Parts {
  std::string before{};         // nodes before the first loop
  std::string start = "%zero";  // of its counter
  std::string size = "%zero";   // of its list
  std::string inside{};         // nodes of its body
  std::string kept = "%x";      // the appended value
  std::string from = "%w";      // the start of the second loop's counter
  std::string index = "%at";    // the index that it reads
  std::string used = "%e";      // the value that it sums
};

// A loop that keeps a value n times, and one that sums the kept values.
std::string Program(const Parts& p) {
  return StrCat(R"(graph g(%n: i64[], %x: f32[2], %m: i64[]) -> (%b:1) {
    %zero = Const [value = 0 : i64[]]
    %sum0 = Const [value = [0, 0] : f32[2]]
    )",
                p.before, R"(
    %new = ListNew()",
                p.size, R"() [dtype = f32, shape = [2]]
    %w = While()",
                p.start, R"(, %new, %x) [dtypes = {i64, list, f32}]
        : i64[], list[], f32[2] {
      cond(%i: i64[], %l: list[], %h: f32[2]) {
        %c = Less(%i, %n) yield %c
      }
      body(%i: i64[], %l: list[], %h: f32[2]) {
        %one = Const [value = 1 : i64[]] )",
                p.inside, R"(
        %j = Add(%i, %one) %g = Neg(%h) %k = ListAppend(%l, )",
                p.kept, R"()
        yield %j, %k, %g
      }
    }
    %b = While()",
                p.from, R"(, %sum0) [dtypes = {i64, f32}] : i64[], f32[2] {
      cond(%left: i64[], %s: f32[2]) { %c2 = Greater(%left, %zero) yield %c2 }
      body(%left: i64[], %s: f32[2]) {
        %one2 = Const [value = 1 : i64[]] %at = Sub(%left, %one2)
        %e = ListGet(%w:1, )",
                p.index, R"() [dtype = f32, shape = [2]]
        %t = Add(%s, )",
                p.used, R"() yield %at, %t
      }
    }
  })");
}

TEST(KeptInvariants, AValueFromBeforeTheLoopIsReadThere) {
  ExpectRewrite(Read, Program({}), Program({.used = "%x"}));
  Array x = Array::Vector<float>({1, 2}), m = Array::Scalar<int64_t>(0);
  ExpectSameMeaning(
      Read, Program({}),
      {{Array::Scalar<int64_t>(3), x, m}, {Array::Scalar<int64_t>(0), x, m}});
}

TEST(KeptInvariants, AConstantOfTheBodyStandsBeforeTheLoop) {
  Parts kept{.inside = "%k0 = Const [value = [3, 4] : f32[2]]", .kept = "%k0"};
  std::unique_ptr<Graph> graph = ParseOrDie(Program(kept));
  ASSERT_TRUE(*Read(*graph));
  EXPECT_TRUE(Verify(*graph).ok());
  std::string text = PrintGraph(*graph, {.types = false, .lines = false});
  EXPECT_NE(text.find("%t = Add(%s, %k0_1)"), std::string::npos) << text;
  Array x = Array::Vector<float>({1, 2}), m = Array::Scalar<int64_t>(0);
  ExpectSameMeaning(Read, Program(kept), {{Array::Scalar<int64_t>(2), x, m}});
}

TEST(KeptInvariants, WhatChangesIsKept) {
  ExpectUnchanged(Read, Program({.kept = "%h"}));
  ExpectUnchanged(Read, Program({.inside = "%d = Neg(%x)", .kept = "%d"}));
}

// An index that may be out of range stays an error.
TEST(KeptInvariants, AnIndexThatMayBeOutsideIsRead) {
  for (const Parts& p :
       {Parts{.from = "%m"}, Parts{.index = "%left"}, Parts{.index = "%m"},
        Parts{.before = "%two = Const [value = 2 : i64[]]", .start = "%two"},
        Parts{.before = "%two = Const [value = 2 : i64[]]", .size = "%two"}}) {
    ExpectUnchanged(Read, Program(p));
  }
}

}  // namespace
}  // namespace sluice
