#include "sluice/passes/hoist_projections.h"

#include <cstring>
#include <random>

#include "sluice/base/strings.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Hoist(Graph& graph) { return HoistProjections(graph); }

// h = h * read(x, at) @ w, for i from 0 while `cond`.
std::string Network(std::string_view cond, std::string_view at) {
  return StrCat(
      "graph g(%n: i32[], %x: f32[5,2,3], %w: f32[3,4], %h0: f32[2,4])"
      " -> (%u:1) {\n"
      "  %i0 = Const [value = 0]\n"
      "  %u = While(%i0, %h0) [dtypes = {i32, f32}] : i32[], f32[2,4] {\n"
      "    cond(%i: i32[], %h: f32[2,4]) { ",
      cond,
      " yield %c }\n"
      "    body(%i: i32[], %h: f32[2,4]) {\n"
      "      %j = Add(%i, 1)\n",
      at,
      "      %r = Gather(%x, %at)\n"
      "      %p = MatMul(%r, %w)\n"
      "      %s = Add(%h, %p)\n"
      "      yield %j, %s\n"
      "    }\n  }\n}");
}
constexpr const char* kAll = "%c = Less(%i, 5)";
constexpr const char* kForward = "%at = Identity(%i)\n";

// Identity only marks the place in the text; the pipeline removes it.
std::string Forward(std::string_view cond) {
  std::string text = Network(cond, "");
  text.replace(text.find("%at)"), 3, "%i");
  return text;
}

std::vector<Array> Args(int n) {
  auto numbers = [](const Shape& shape) {
    Array a = *Array::Make(DType::kF32, shape);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      a.mutable_data<float>()[i] = static_cast<float>(i % 7) / 3 - 1;
    }
    return a;
  };
  return {Array::Scalar(n), numbers({5, 2, 3}), numbers({3, 4}),
          numbers({2, 4})};
}

TEST(HoistProjections, OneProductBeforeTheLoop) {
  ExpectRewrite(Hoist, Forward(kAll),
                R"(graph g(%n: i32[], %x: f32[5,2,3], %w: f32[3,4],
                           %h0: f32[2,4]) -> (%u:1) {
    %i0 = Const [value = 0]
    %"p/all" = Const [value = [10 3] : i64[2]] in ""
    %"p/all_1" = Reshape(%x, %"p/all") in ""
    %"p/all_2" = MatMul(%"p/all_1", %w) in ""
    %"p/all_3" = Const [value = [5 2 4] : i64[3]] in ""
    %"p/all_4" = Reshape(%"p/all_2", %"p/all_3") in ""
    %u = While(%i0, %h0) [dtypes = {i32, f32}] : i32[], f32[2,4] {
      cond(%i: i32[], %h: f32[2,4]) { %c = Less(%i, 5) yield %c }
      body(%i: i32[], %h: f32[2,4]) {
        %j = Add(%i, 1)
        %r = Gather(%x, %i)
        %p = Gather(%"p/all_4", %i)
        %s = Add(%h, %p)
        yield %j, %s
      }
    }
  })");
  ExpectSameMeaning(Hoist, Forward(kAll), {Args(5)});
  // Three of five is enough, and the comparison may be reversed.
  ExpectSameMeaning(Hoist, Forward("%c = Greater(3, %i)"), {Args(5)});
}

TEST(HoistProjections, BackwardsToo) {
  ExpectSameMeaning(Hoist, Network(kAll, "%at = Sub(4, %i)\n"), {Args(5)});
}

struct Stays {
  std::string text;
  const char* why;
};

TEST(HoistProjections, WhatMightBeInVainStaysAndSaysWhy) {
  const Stays kStays[] = {
      {Forward("%c = Less(%i, %n)"), "not known how often"},
      {Forward("%k = Less(%i, 5) %q = Less(%i, %n) %c = LogicalAnd(%k, %q)"),
       "may end early"},
      {Forward("%c = Less(%i, 1)"), "it reads 1 of 5 slices"},
      {Forward("%c = Less(%i, 6)"), "it reads 6 of 5 slices"},
      {Network(kAll, "%at = Mul(%i, %n)\n"), "not read one after another"},
      {Network(kAll, "%at = Sub(3, %i)\n"), "not read one after another"},
      {Network(kAll, kForward), "not read one after another"}};
  for (const Stays& stays : kStays) {
    ExpectUnchanged(Hoist, stays.text);
    auto graph = ParseOrDie(stays.text);
    std::vector<std::string> notes;
    ASSERT_TRUE(HoistProjections(*graph, true, &notes).ok());
    ASSERT_EQ(notes.size(), 1u) << stays.text;
    EXPECT_NE(notes[0].find(stays.why), std::string::npos) << notes[0];
  }
}

Array Random(const Shape& shape, std::mt19937& random) {
  Array a = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        static_cast<float>(static_cast<int>(random() % 2000) - 1000) / 333;
  }
  return a;
}

// Tests the assumption behind the default: rows of a large product have the
// bits of the small one for the cases that the pass accepts as such. In other
// cases they are close.
TEST(HoistProjections, RowsOfALargeProduct) {
  std::mt19937 random(1);
  const OpRecord& op = **LookupOp("MatMul");
  constexpr int64_t kSlices = 10;
  for (bool turned : {false, true}) {
    for (int64_t rows : {1, 2, 3, 8, 17, 64}) {
      for (int64_t depth : {1, 3, 16, 100, 256, 700}) {
        for (int64_t columns : {1, 5, 64, 130}) {
          Array x = Random({kSlices, rows, depth}, random);
          Array w = Random(
              turned ? Shape{columns, depth} : Shape{depth, columns}, random);
          Attrs attrs{{"transpose_a", false}, {"transpose_b", turned}};
          auto product = [&](int64_t from, int64_t count) {
            Array a = *Array::Make(DType::kF32, {count, depth});
            std::memcpy(a.mutable_raw(), x.data<float>() + from * depth,
                        static_cast<size_t>(a.bytes()));
            return RunOp(op, attrs, std::vector<Array>{a, w})->front();
          };
          Array all = product(0, kSlices * rows);
          bool exact = depth <= 256 && !(turned && rows == 1);
          for (int64_t t = 0; t < kSlices; ++t) {
            Array one = product(t * rows, rows);
            const float* part = all.data<float>() + t * rows * columns;
            for (int64_t i = 0; i < rows * columns; ++i) {
              float got = part[i], want = one.data<float>()[i];
              if (exact) {
                ASSERT_EQ(got, want) << rows << " " << depth << " " << columns;
              } else {
                ASSERT_NEAR(got, want, 2e-5 * 9 * static_cast<double>(depth));
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace sluice
