#include "sluice/front/ragged_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "sluice/front/ragged_test_util.h"

namespace sluice {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Rows EachValue(const Rows& rows, const std::function<double(double)>& f) {
  return EachRow(rows, [&](Row row) {
    for (double& v : row) v = f(v);
    return row;
  });
}

TEST(RaggedMath, ValuesOneByOne) {
  struct Case {
    std::function<Ragged(const Ragged&)> f;
    std::function<double(double)> want;
  };
  std::vector<Case> cases{
      {[](const Ragged& x) { return x + x; }, [](double v) { return v + v; }},
      {[](const Ragged& x) { return x * abs(x); },
       [](double v) { return v * std::abs(v); }},
      {[](const Ragged& x) { return x - square(x); },
       [](double v) { return v - v * v; }},
      {[](const Ragged& x) { return x / exp(x); },
       [](double v) { return v / std::exp(v); }},
      {[](const Ragged& x) { return 2 * x + 1; },
       [](double v) { return 2 * v + 1; }},
      {[](const Ragged& x) { return 1 - x / 4; },
       [](double v) { return 1 - v / 4; }},
      {[](const Ragged& x) { return 3 / (x + 5); },
       [](double v) { return 3 / (v + 5); }},
      {[](const Ragged& x) { return -x - constant(0.5); },
       [](double v) { return -v - 0.5; }},
      {[](const Ragged& x) { return log(sqrt(x * x + 1)); },
       [](double v) { return std::log(std::sqrt(v * v + 1)); }},
      {[](const Ragged& x) { return tanh(x) + sigmoid(x); },
       [](double v) { return std::tanh(v) + 1 / (1 + std::exp(-v)); }},
      {[](const Ragged& x) { return relu(x) + silu(x); },
       [](double v) { return std::max(v, 0.0) + v / (1 + std::exp(-v)); }},
      {[](const Ragged& x) { return ragged_binary("Maximum", x, 0.25); },
       [](double v) { return std::max(v, 0.25); }},
      {[](const Ragged& x) {
         return x.map([](const Tensor& v) { return sin(v); });
       },
       [](double v) { return std::sin(v); }}};
  for (const Case& c : cases) {
    SCOPED_TRACE(&c - cases.data());
    for (const Rows& rows : ManyRows()) {
      ExpectNear(RaggedInEveryWay(c.f, rows), EachValue(rows, c.want), 1e-9);
    }
  }
}

TEST(RaggedMath, WhatIsKnownOfRowsMeetsTheirValues) {
  for (const Rows& rows : ManyRows()) {
    Row wanted;
    for (size_t r = 0; r < rows.size(); ++r) {
      for (double v : rows[r]) wanted.push_back(static_cast<double>(r) - v);
    }
    Array got = TensorInEveryWay(
        [&](const Ragged& x) {
          Tensor numbers = cast(range(0, x.row_count(), 1), DType::kF64);
          return (numbers - x).values();
        },
        rows);
    EXPECT_EQ(Numbers(got), wanted);
  }
  // Literals and constants of one number for each row.
  Ragged x = ragged<double>({{1, 2}, {}, {3}});
  EXPECT_EQ((x * constant({10.0, 20.0, 30.0})).ToString(),
            "[[10, 20], [], [90]]");
  EXPECT_EQ((std::vector<int>{10, 20, 30} + x).ToString(),
            "[[11, 12], [], [33]]");
  // Axes behind the rows.
  Ragged pairs =
      Ragged::from_lengths(constant({{1, 2}, {3, 4}, {5, 6}}), {1, 2});
  EXPECT_EQ((pairs + constant({10, 20})).ToString(),
            "[[[11, 12]], [[23, 24], [25, 26]]]");
  EXPECT_EQ((pairs + constant({{10, 0}, {20, 1}})).ToString(),
            "[[[11, 2]], [[23, 5], [25, 7]]]");
  EXPECT_EQ((ragged({{1}, {2}}) + constant({{10, 0}, {20, 1}})).ToString(),
            "[[[11, 1]], [[22, 3]]]");
  EXPECT_EQ((ragged({{1}, {2, 3}}) * pairs).ToString(),
            "[[[1, 2]], [[6, 8], [15, 18]]]");
}

TEST(RaggedMath, RowsThatDoNotFitAreRefused) {
  Ragged x = ragged<double>({{1, 2}, {}, {3}});
  std::string text = ErrorOf([&] { x + ragged<double>({{1}, {2}, {3}}); });
  Contains(text, "row 0 has 2 values in a and 1 in b; wanted equal rows");
  Contains(text, "ragged_math_test.cc:");
  Contains(ErrorOf([&] { x + ragged<double>({{1, 2}, {3}}); }),
           "wanted equal numbers of rows");
  Contains(ErrorOf([&] { x + constant({1.0, 2.0}); }),
           "wanted one slice for each of 3 rows");
  Contains(ErrorOf([&] { x + Ragged(); }), "holds nothing");
  Contains(ErrorOf([&] { row_sum(Ragged()); }), "holds nothing");
  // In a graph when it runs.
  Graph graph;
  Tensor splits, y;
  {
    GraphScope building(graph);
    splits = placeholder(DType::kI64, {any});
    y = (Ragged::from_splits(constant({1.0, 2.0, 3.0}), splits) + x).values();
  }
  Session session(graph);
  EXPECT_EQ(
      Numbers(session.run(y, {{splits, Array::Vector<int64_t>({0, 2, 2, 3})}})),
      (Row{2, 4, 6}));
  Contains(ErrorOf([&] {
             session.run(y, {{splits, Array::Vector<int64_t>({0, 2, 3, 3})}});
           }),
           "row 1 has 1 values in a and 0 in b; wanted equal rows");
}

TEST(RaggedMath, RowsAreReduced) {
  struct Case {
    Tensor (*f)(RaggedOperand);
    std::function<double(const Row&)> want;
  };
  auto sum = [](const Row& r) {
    return std::accumulate(r.begin(), r.end(), 0.0);
  };
  std::vector<Case> cases{
      {row_sum, sum},
      {row_mean,
       [&](const Row& r) {
         return r.empty() ? 0 : sum(r) / static_cast<double>(r.size());
       }},
      {row_max,
       [](const Row& r) {
         double best = -kInf;
         for (double v : r) best = std::max(best, v);
         return best;
       }},
      {row_min,
       [](const Row& r) {
         double best = kInf;
         for (double v : r) best = std::min(best, v);
         return best;
       }},
      {row_prod, [](const Row& r) {
         double product = 1;
         for (double v : r) product *= v;
         return product;
       }}};
  for (const Case& c : cases) {
    SCOPED_TRACE(&c - cases.data());
    for (const Rows& rows : ManyRows()) {
      Array got =
          TensorInEveryWay([&](const Ragged& x) { return c.f(x); }, rows);
      ExpectNear(Numbers(got), EachRowTo(rows, c.want));
    }
  }
}

TEST(RaggedMath, TruthOfRows) {
  for (const Rows& rows : ManyRows()) {
    auto bits = [&](Tensor (*f)(RaggedOperand)) {
      return Numbers(TensorInEveryWay(
          [&](const Ragged& x) {
            return cast(f(ragged_binary("Greater", x, 0)), DType::kF64);
          },
          rows));
    };
    auto positive = [](double v) { return v > 0; };
    EXPECT_EQ(bits(row_any), EachRowTo(rows, [&](const Row& r) {
                return std::any_of(r.begin(), r.end(), positive);
              }));
    EXPECT_EQ(bits(row_all), EachRowTo(rows, [&](const Row& r) {
                return std::all_of(r.begin(), r.end(), positive);
              }));
  }
  Ragged counts = ragged({{0, 2}, {0}, {}, {3}});
  EXPECT_EQ(Elements<bool>(row_any(counts).array()),
            (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(Elements<bool>(row_all(counts).array()),
            (std::vector<bool>{false, false, true, true}));
}

TEST(RaggedMath, PlacesOfTheLargest) {
  for (const Rows& rows : ManyRows()) {
    Array got = TensorInEveryWay(
        [](const Ragged& x) { return cast(row_argmax(x), DType::kF64); }, rows);
    EXPECT_EQ(Numbers(got), EachRowTo(rows, [](const Row& r) {
                return r.empty() ? -1.0
                                 : static_cast<double>(
                                       std::max_element(r.begin(), r.end()) -
                                       r.begin());
              }));
  }
  Ragged x = ragged({{1.0, kNan, 3.0}, {-kInf}, {}, {2.0, 2.0}});
  EXPECT_EQ(row_argmax(x).to_vector<int64_t>(),
            (std::vector<int64_t>{1, 0, -1, 0}));
  Ragged pairs =
      Ragged::from_lengths(constant({{1, 9}, {3, 4}, {5, 6}}), {2, 1});
  EXPECT_EQ(row_argmax(pairs).to_vector<int64_t>(),
            (std::vector<int64_t>{1, 0, 0, 0}));
  EXPECT_EQ(row_argmax(ragged({{1, 7}, {}})).to_vector<int64_t>(),
            (std::vector<int64_t>{1, -1}));
}

Row SoftmaxOf(Row row, bool log) {
  double largest = -kInf, sum = 0;
  for (double v : row) largest = std::max(largest, v);
  for (double v : row) sum += std::exp(v - largest);
  for (double& v : row) {
    v = log ? v - largest - std::log(sum) : std::exp(v - largest) / sum;
  }
  return row;
}

TEST(RaggedMath, SoftmaxOfEachRow) {
  for (const Rows& rows : ManyRows()) {
    ExpectNear(
        RaggedInEveryWay([](const Ragged& x) { return softmax(x); }, rows),
        EachRow(rows, [](const Row& r) { return SoftmaxOf(r, false); }));
    ExpectNear(
        RaggedInEveryWay([](const Ragged& x) { return log_softmax(x); }, rows),
        EachRow(rows, [](const Row& r) { return SoftmaxOf(r, true); }));
  }
  // Nothing comes over the border of a row, however bad its neighbour.
  Rows got = RowsOf(softmax(ragged({{1.0, 2.0}, {kNan, 3.0}, {1.0, 2.0}})));
  ExpectNear(got[0], SoftmaxOf({1, 2}, false));
  ExpectNear(got[2], SoftmaxOf({1, 2}, false));
  EXPECT_TRUE(std::isnan(got[1][1]));
}

TEST(RaggedMath, RunningSumsOfEachRow) {
  for (bool exclusive : {false, true}) {
    for (bool reverse : {false, true}) {
      RowCumsumOptions how{exclusive, reverse};
      for (const Rows& rows : ManyRows()) {
        Rows want = EachRow(rows, [&](Row row) {
          if (reverse) std::reverse(row.begin(), row.end());
          double sum = 0;
          for (double& v : row) {
            double before = sum;
            sum += v;
            v = exclusive ? before : sum;
          }
          if (reverse) std::reverse(row.begin(), row.end());
          return row;
        });
        ExpectNear(
            RaggedInEveryWay(
                [&](const Ragged& x) { return row_cumsum(x, how); }, rows),
            want);
      }
    }
  }
  EXPECT_EQ(row_cumsum(ragged({{kInf, 1.0}, {2.0, 3.0}})).ToString(),
            "[[inf, inf], [2, 5]]");
}

}  // namespace
}  // namespace sluice
