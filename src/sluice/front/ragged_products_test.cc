#include "sluice/front/ragged_products.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sluice/front/ragged_test_util.h"

namespace sluice {
namespace {

using Matrix = std::vector<Row>;  // a vector for each value

// A vector of `width` numbers for each value of rows.
Ragged Widened(const Ragged& x, int64_t width, double shift) {
  Tensor column = expand_dims(x.values(), -1);
  Tensor steps = cast(range(0, constant(width), 1), DType::kF64) + shift;
  return x.map([&](const Tensor&) { return sin(column * 3 + steps); });
}
Matrix Widened(const Row& row, int64_t width, double shift) {
  Matrix out;
  for (double v : row) {
    Row wide;
    for (int64_t i = 0; i < width; ++i) {
      wide.push_back(std::sin(v * 3 + static_cast<double>(i) + shift));
    }
    out.push_back(wide);
  }
  return out;
}
double Dot(const Row& a, const Row& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(RaggedProducts, VectorsTimesAMatrix) {
  Tensor w = constant({{1.0, 2.0, 0.5}, {-1.0, 0.0, 3.0}});
  for (const Rows& rows : ManyRows()) {
    Row want;
    for (const Row& row : rows) {
      for (const Row& v : Widened(row, 2, 0)) {
        want.insert(want.end(), {v[0] - v[1], 2 * v[0], 0.5 * v[0] + 3 * v[1]});
      }
    }
    Array got = TensorInEveryWay(
        [&](const Ragged& x) { return matmul(Widened(x, 2, 0), w).values(); },
        rows);
    ExpectNear(Numbers(got), want);
  }
}

TEST(RaggedProducts, RowsOfATable) {
  Tensor table = constant({{0.0, 1.0}, {10.0, 11.0}, {20.0, 21.0}});
  table.requires_grad_();
  Ragged ids = ragged({{2, 0}, {}, {2}});
  Ragged got = embedding_lookup(table, ids);
  EXPECT_EQ(got.ToString(), "[[[20, 21], [0, 1]], [], [[20, 21]]]");
  sum(row_sum(got)).backward();
  ASSERT_TRUE(table.grad().is_sparse());
  EXPECT_EQ(Numbers(table.grad().to_dense().array()), (Row{1, 1, 0, 0, 2, 2}));
  Contains(ErrorOf([&] { embedding_lookup(table, ragged({{1, 3}})); }),
           "indices[1] is 3; wanted 0 <= index < 3");
}

// Attention of each row by itself, by plain loops.
Row PlainAttention(const Rows& queries, const Rows& keys) {
  Row out;
  for (size_t r = 0; r < queries.size(); ++r) {
    Matrix k = Widened(keys[r], 3, 1), v = Widened(keys[r], 2, 2);
    for (const Row& q : Widened(queries[r], 3, 0)) {
      Row w;
      double sum = 0;
      for (const Row& key : k) sum += std::exp(Dot(q, key));
      for (const Row& key : k) w.push_back(std::exp(Dot(q, key)) / sum);
      for (size_t e = 0; e < 2; ++e) {
        double mixed = 0;
        for (size_t j = 0; j < w.size(); ++j) mixed += w[j] * v[j][e];
        out.push_back(mixed);
      }
    }
  }
  return out;
}

Ragged Attend(const Ragged& queries, const Ragged& keys) {
  Ragged scores = row_scores(Widened(queries, 3, 0), Widened(keys, 3, 1));
  return row_mix(softmax(scores), Widened(keys, 2, 2));
}

TEST(RaggedProducts, AttentionStaysWithinRows) {
  for (const Rows& rows : ManyRows()) {
    Array got = TensorInEveryWay(
        [](const Ragged& x) { return Attend(x, x).values(); }, rows);
    ExpectNear(Numbers(got), PlainAttention(rows, rows));
    // Other numbers of keys than of queries, and rows with none of either.
    Rows other = rows;
    std::reverse(other.begin(), other.end());
    got = TensorInEveryWay(
        [](const Ragged& x) {
          return Attend(x, reverse_in_rows(reverse_rows(x))).values();
        },
        rows);
    for (Row& row : other) std::reverse(row.begin(), row.end());
    ExpectNear(Numbers(got), PlainAttention(rows, other));
  }
}

TEST(RaggedProducts, ScoresAreRowsOfRows) {
  Ragged q = Ragged::from_lengths(constant({{1, 0}, {0, 1}, {1, 1}}), {2, 1});
  Ragged k = Ragged::from_lengths(constant({{2, 3}, {4, 5}, {6, 7}}), {1, 2});
  // Of integers there are no scores: they are floats.
  auto as_f64 = [](const Ragged& x) {
    return x.map([](const Tensor& v) { return cast(v, DType::kF64); });
  };
  Ragged scores = row_scores(as_f64(q), as_f64(k));
  EXPECT_EQ(scores.depth(), 2);
  EXPECT_EQ(scores.ToString(), "[[[2], [3]], [[9, 13]]]");
  EXPECT_EQ(row_mix(scores, as_f64(k)).ToString(),
            "[[[4, 6], [6, 9]], [[114, 136]]]");
  Contains(ErrorOf([&] { row_scores(as_f64(q), ragged<double>({{1}, {2}})); }),
           "[RaggedScores] k is f64[2]; wanted rank 2");
  // As many weights in all, but not for these keys.
  Ragged other = Ragged::from_lengths(as_f64(k).values(), {3, 0});
  Contains(ErrorOf([&] { row_mix(scores, other); }),
           "query 0 has 1 weights; wanted 3, one for each key of row 0");
  Contains(ErrorOf([&] { row_mix(as_f64(q), as_f64(k)); }),
           "weights have 1 levels; wanted 2");
}

}  // namespace
}  // namespace sluice
