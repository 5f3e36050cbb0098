#include "sluice/passes/refine_lists.h"

#include "sluice/base/strings.h"
#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Refine(Graph& graph) { return RefineLists(graph); }

// A loop that appends, or sets, and the nodes that read its list afterwards.
std::string Program(const std::string& size, const std::string& write,
                    const std::string& read, const std::string& bound = "%n") {
  return StrCat(R"(graph g(%n: i64[], %x: f32[2,3]) -> (%y) {
    %i0 = Const [value = 0 : i64[]]
    %zero = Const [value = 0 : i64[]]
    %five = Const [value = 5 : i64[]]
    %new = ListNew()",
                size, R"() [dtype = f32]
    %w = While(%i0, %new) [dtypes = {i64, list}] : i64[], list[] {
      cond(%i: i64[], %l: list[]) { %c = Less(%i, )",
                bound, R"() yield %c }
      body(%i: i64[], %l: list[]) {
        %one = Const [value = 1 : i64[]]
        %j = Add(%i, %one) %v = Neg(%x) )",
                write, R"( yield %j, %m
      }
    }
    )",
                read, "\n  }");
}

const std::string kAppend = "%m = ListAppend(%l, %v)";
const std::string kSet = "%m = ListSet(%l, %i, %v)";

TEST(RefineLists, AReadKnowsTheShapeOfWhatALoopAppended) {
  ExpectRewrite(
      Refine,
      Program("%zero", kAppend, "%y = ListGet(%w:1, %zero) [dtype = f32]"),
      Program("%zero", kAppend,
              "%y = ListGet(%w:1, %zero) [dtype = f32, shape = [2,3]]"));
}

TEST(RefineLists, AStackKnowsTheSizeOfAListThatWasSetAllOver) {
  ExpectRewrite(
      Refine,
      Program("%five", kSet, "%y = ListStack(%w:1) [dtype = f32]", "%five"),
      Program("%five", kSet,
              "%y = ListStack(%w:1) [dtype = f32, shape = [2,3], size = 5]",
              "%five"));
  // The size may be known only at run time.
  ExpectRewrite(
      Refine, Program("%n", kSet, "%y = ListStack(%w:1) [dtype = f32]"),
      Program("%n", kSet, "%y = ListStack(%w:1) [dtype = f32, shape = [2,3]]"));
}

TEST(RefineLists, FromTheLastToTheFirstIsAllOverToo) {
  std::string set =
      "%p = Sub(%n, %i) %at = Sub(%p, %one) %m = ListSet(%l, %at, %v)";
  ExpectRewrite(
      Refine, Program("%n", set, "%y = ListStack(%w:1) [dtype = f32]"),
      Program("%n", set, "%y = ListStack(%w:1) [dtype = f32, shape = [2,3]]"));
}

// Reading an unwritten element is an error while the shape is unknown; it must
// not become zeros.
TEST(RefineLists, AListWithHolesIsLeftAlone) {
  std::string read = "%y = ListStack(%w:1) [dtype = f32]";
  ExpectUnchanged(Refine, Program("%five", kSet, read));
  ExpectUnchanged(Refine, Program("%n", "%m = ListSet(%l, %zero, %v)", read));
  ExpectUnchanged(Refine, Program("%five", kAppend, read));
}

TEST(RefineLists, ElementsThatDifferAgreeInWhatIsKnown) {
  std::string write =
      "%m1 = ListAppend(%l, %v) %e = Concat(%x, %x) [axis = 0] "
      "%m = ListAppend(%m1, %e)";
  ExpectRewrite(
      Refine,
      Program("%zero", write, "%y = ListGet(%w:1, %zero) [dtype = f32]"),
      Program("%zero", write,
              "%y = ListGet(%w:1, %zero) [dtype = f32, shape = [?,3]]"));
}

TEST(RefineLists, BranchesAreJoined) {
  std::string write = R"(%p = Less(%i, %five)
        %m = If(%p) [dtypes = {list}] : list[] {
          then() { %a = ListAppend(%l, %v) yield %a }
          else() { yield %l }
        })";
  ExpectRewrite(
      Refine,
      Program("%zero", write, "%y = ListGet(%w:1, %zero) [dtype = f32]"),
      Program("%zero", write,
              "%y = ListGet(%w:1, %zero) [dtype = f32, shape = [2,3]]"));
}

TEST(RefineLists, ListsOfListsAreFollowed) {
  std::string write =
      "%e = ListNew(%zero) [dtype = f32] %e1 = ListAppend(%e, %v) "
      "%m = ListAppend(%l, %e1)";
  std::string get = "%in = ListGet(%w:1, %zero) [dtype = list, shape = []] ";
  std::string text =
      Program("%zero", write, get + "%y = ListGet(%in, %zero) [dtype = f32]");
  std::string want =
      Program("%zero", write,
              get + "%y = ListGet(%in, %zero) [dtype = f32, shape = [2,3]]");
  auto of_lists = [](std::string program) {
    std::string from = "%new = ListNew(%zero) [dtype = f32]";
    return program.replace(program.find(from), from.size(),
                           "%new = ListNew(%zero) [dtype = list]");
  };
  ExpectRewrite(Refine, of_lists(text), of_lists(want));
}

TEST(RefineLists, WhatComesFromElsewhereIsNotKnown) {
  ExpectUnchanged(Refine, R"(graph g(%l: list[], %i: i64[]) -> (%y) {
    %m = ListAppend(%l, %i)
    %y = ListGet(%m, %i) [dtype = i64]
  })");
}

}  // namespace
}  // namespace sluice
