#include "sluice/passes/known_counts.h"

#include "sluice/base/strings.h"
#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Read(Graph& graph) { return ReadKnownCounts(graph); }

// A loop from 5 while `more`, and whether it ran.
std::string Program(std::string_view more, std::string_view attrs,
                    std::string_view before, std::string_view read) {
  return StrCat(R"(graph g(%x: f32[2], %n: i64[], %p: bool[]) -> (%ran, %w:1) {
    %five = Const [value = 5 : i64[]]
    %nine = Const [value = 9 : i64[]]
    )",
                before, R"(
    %w = While(%five, %x) [dtypes = {i64, f32})",
                attrs, R"(] : i64[], f32[2] {
      cond(%i: i64[], %v: f32[2]) { )",
                more, R"( yield %c }
      body(%i: i64[], %v: f32[2]) {
        %one = Const [value = 1 : i64[]]
        %j = Add(%i, %one) %d = Add(%v, %v) yield %j, %d
      }
    }
    %ran = Greater()",
                read, R"(, %five)
  })");
}

TEST(KnownCounts, AreReadAsNumbers) {
  ExpectRewrite(Read, Program("%c = Less(%i, %nine)", "", "", "%w"),
                Program("%c = Less(%i, %nine)", "",
                        "%w_1 = Const [value = 9 : i64[]]", "%w_1"));
  ExpectRewrite(Read,
                Program("%c = Less(%i, %nine)", ", maximum = 3", "", "%w"),
                Program("%c = Less(%i, %nine)", ", maximum = 3",
                        "%w_1 = Const [value = 8 : i64[]]", "%w_1"));
  ExpectRewrite(Read, Program("%c = Less(%i, %five)", "", "", "%w"),
                Program("%c = Less(%i, %five)", "",
                        "%w_1 = Const [value = 5 : i64[]]", "%w_1"));
  Array x = Array::Vector<float>({1.5f, -2});
  ExpectSameMeaning(Read, Program("%c = Less(%i, %nine)", "", "", "%w"),
                    {{x, Array::Scalar<int64_t>(7), Array::Scalar(true)}});
}

TEST(KnownCounts, AreNotKnown) {
  ExpectUnchanged(Read, Program("%c = Less(%i, %n)", "", "", "%w"));
  // Something else may end the loop earlier.
  ExpectUnchanged(Read, Program("%l = Less(%i, %nine) %c = LogicalAnd(%l, %p)",
                                "", "", "%w"));
}

// A loop that refers to another loop's count is left alone.
TEST(KnownCounts, AreLeftToOtherLoops) {
  ExpectUnchanged(Read, R"(graph g(%x: f32[2]) -> (%b:1) {
    %zero = Const [value = 0 : i64[]]
    %nine = Const [value = 9 : i64[]]
    %w = While(%zero) [dtypes = {i64}] : i64[] {
      cond(%i: i64[]) { %c = Less(%i, %nine) yield %c }
      body(%i: i64[]) {
        %one = Const [value = 1 : i64[]] %j = Add(%i, %one) yield %j
      }
    }
    %b = While(%w, %x) [dtypes = {i64, f32}] : i64[], f32[2] {
      cond(%i: i64[], %v: f32[2]) { %more = Greater(%i, %zero) yield %more }
      body(%i: i64[], %v: f32[2]) {
        %minus = Const [value = 1 : i64[]]
        %k = Sub(%i, %minus) %d = Add(%v, %v) yield %k, %d
      }
    }
  })");
}

}  // namespace
}  // namespace sluice
