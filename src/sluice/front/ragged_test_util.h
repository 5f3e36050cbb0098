// What the tests of Ragged share: rows as plain vectors, and functions run in
// every way there is.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "sluice/front/front_test_util.h"
#include "sluice/sluice.h"

namespace sluice {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline Row Numbers(const Array& array) { return Elements<double>(array); }

// Rows of the lengths 0 to 4, some empty ones among them and at both ends, and
// numbers between -2 and 2.
inline Rows SomeRows(size_t count, uint64_t seed = 1) {
  Rows rows(count);
  auto draw = [&] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 40) * 0x1p-24;
  };
  for (size_t r = 0; r < count; ++r) {
    bool end = r == 0 || r + 1 == count;
    for (auto n = end ? 0 : static_cast<int>(draw() * 5); n > 0; --n) {
      rows[r].push_back(4 * draw() - 2);
    }
  }
  return rows;
}

// The sizes every function is tried with: none, nothing but empty rows, many.
inline std::vector<Rows> ManyRows() {
  return {SomeRows(0),    SomeRows(2),  SomeRows(7),
          SomeRows(9, 5), {{1, -1, 1}}, {{2}, {}, {3, 4}, {}}};
}

inline Rows RowsOf(const Array& values, const Array& splits) {
  Row all = Numbers(values);
  std::vector<int64_t> at = Elements<int64_t>(splits);
  EXPECT_EQ(at.front(), 0);
  EXPECT_EQ(at.back(), static_cast<int64_t>(all.size()));
  Rows rows;
  for (size_t r = 0; r + 1 < at.size(); ++r) {
    rows.emplace_back(all.begin() + at[r], all.begin() + at[r + 1]);
  }
  return rows;
}
inline Rows RowsOf(const Ragged& r) {
  return RowsOf(r.values().array(), r.row_splits().array());
}

using ManyTensors = std::function<std::vector<Tensor>(const Ragged&)>;

// f of these rows: imperatively, in a graph whose sizes are unknown, and
// captured. The same bits each time.
inline std::vector<Array> InEveryWay(const ManyTensors& f, const Rows& rows) {
  Ragged now = ragged(rows);
  std::vector<Array> out;
  for (const Tensor& t : f(now)) out.push_back(*t.array().AsContiguous());

  Graph graph;
  std::vector<Tensor> made;
  Tensor values, splits;
  {
    GraphScope building(graph);
    values = placeholder(DType::kF64, {any});
    splits = placeholder(DType::kI64, {any});
    made = f(Ragged::from_splits(values, splits));
  }
  Session session(graph);
  std::vector<Array> ran = session.run(
      std::vector<Fetch>(made.begin(), made.end()),
      {{values, now.values().array()}, {splits, now.row_splits().array()}});

  auto captured = function(
      [&](Tensor v, Tensor s) { return f(Ragged::from_splits(v, s)); });
  std::vector<Tensor> called = captured(now.values(), now.row_splits());
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(out[i].BitEquals(ran[i]))
        << "in a graph output " << i << " is " << ran[i].ToString()
        << ", imperatively " << out[i].ToString();
    EXPECT_TRUE(out[i].BitEquals(called[i].array()))
        << "captured, output " << i;
  }
  return out;
}

inline Rows RaggedInEveryWay(const std::function<Ragged(const Ragged&)>& f,
                             const Rows& rows) {
  std::vector<Array> out = InEveryWay(
      [&](const Ragged& x) {
        Ragged y = f(x);
        return std::vector<Tensor>{y.values(), y.row_splits()};
      },
      rows);
  return RowsOf(out[0], out[1]);
}

inline Array TensorInEveryWay(const std::function<Tensor(const Ragged&)>& f,
                              const Rows& rows) {
  return InEveryWay([&](const Ragged& x) { return std::vector<Tensor>{f(x)}; },
                    rows)[0];
}

// Each row by itself.
inline Rows EachRow(const Rows& rows, const std::function<Row(const Row&)>& f) {
  Rows out;
  for (const Row& row : rows) out.push_back(f(row));
  return out;
}
inline Row EachRowTo(const Rows& rows,
                     const std::function<double(const Row&)>& f) {
  Row out;
  for (const Row& row : rows) out.push_back(f(row));
  return out;
}

inline void ExpectNear(const Row& got, const Row& want, double error = 1e-12) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;  // infinities, too
    EXPECT_NEAR(got[i], want[i], error) << "element " << i;
  }
}
inline void ExpectNear(const Rows& got, const Rows& want,
                       double error = 1e-12) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t r = 0; r < got.size(); ++r) {
    SCOPED_TRACE(r);
    ExpectNear(got[r], want[r], error);
  }
}

}  // namespace sluice
