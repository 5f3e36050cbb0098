#include "sluice/front/ragged.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sluice/front/ragged_test_util.h"

namespace sluice {
namespace {

using Ids = std::vector<int64_t>;

const Rows kThree = {{1, 2}, {}, {3}};

TEST(Ragged, IsMadeInManyWays) {
  Tensor values = constant({1.0, 2.0, 3.0});
  EXPECT_EQ(RowsOf(ragged(kThree)), kThree);
  EXPECT_EQ(RowsOf(ragged({{1.0, 2.0}, {}, {3.0}})), kThree);
  EXPECT_EQ(RowsOf(Ragged::from_splits(values, {0, 2, 2, 3})), kThree);
  EXPECT_EQ(
      RowsOf(Ragged::from_splits(values, Array::Vector<int32_t>({0, 2, 2, 3}))),
      kThree);
  EXPECT_EQ(RowsOf(Ragged::from_lengths(values, {2, 0, 1})), kThree);
  EXPECT_EQ(RowsOf(Ragged::from_row_ids(values, {0, 0, 2})), kThree);
  EXPECT_EQ(RowsOf(Ragged::from_row_ids(values, {0, 0, 2}, 4)),
            (Rows{{1, 2}, {}, {3}, {}}));
  Tensor padded = constant({{1.0, 2.0, 9.0}, {9.0, 9.0, 9.0}, {3.0, 9.0, 9.0}});
  EXPECT_EQ(RowsOf(Ragged::from_padded(padded, {2, 0, 1})), kThree);
  EXPECT_EQ(ragged<int>({{}, {}}).num_rows(), 2);
  EXPECT_EQ(ragged(std::vector<std::vector<bool>>{{true}, {}}).dtype(),
            DType::kBool);
  EXPECT_EQ(ragged({{"a", "b"}, {"c"}}).ToString(),
            "[[\"a\", \"b\"], [\"c\"]]");
}

TEST(Ragged, IsMadeInGraphs) {
  auto same = [&](const std::function<Ragged(const Ragged&)>& f) {
    for (const Rows& rows : ManyRows()) {
      EXPECT_EQ(RaggedInEveryWay(f, rows), rows);
    }
  };
  same([](const Ragged& x) {
    return Ragged::from_lengths(x.values(), x.row_lengths());
  });
  same([](const Ragged& x) {
    Ragged tail = concat_rows({x, ragged<double>({{1}})});
    Ragged all = Ragged::from_row_ids(tail.values(), tail.row_ids());
    return slice_rows(all, 0, -1);
  });
  same([](const Ragged& x) {
    return Ragged::from_padded(x.to_padded(7.0).values, x.row_lengths());
  });
}

TEST(Ragged, SplitsAreChecked) {
  Tensor values = constant({1.0, 2.0, 3.0});
  auto error = [&](const Ids& splits) {
    return ErrorOf([&] { Ragged::from_splits(values, splits); });
  };
  Contains(error({1, 3}), "[RaggedSplits] splits[0] is 1; wanted 0");
  Contains(error({0, 2, 1, 3}), "splits[2] is 1 after 2; wanted splits that");
  Contains(error({0, 2}), "splits[1] is 2; wanted 3, the number of values");
  Contains(error({}), "wanted one number more than rows");
  Contains(error({0, 2}), "ragged_test.cc:");
  Contains(ErrorOf([&] { Ragged::from_lengths(values, {4, -1}); }),
           "lengths[1] is -1; wanted 0 or more");
  Contains(ErrorOf([&] { Ragged::from_lengths(values, {1, 1}); }),
           "splits[2] is 2; wanted 3, the number of values");
  Contains(ErrorOf([&] { Ragged::from_row_ids(values, {0, 2, 1}); }),
           "ids[2] is 1 after 2");
  Contains(ErrorOf([&] { Ragged::from_row_ids(values, {0, 0}); }),
           "splits[1] is 2; wanted 3, the number of values");
  Contains(ErrorOf([&] { Ragged::from_padded(ones({2, 2}), {1, 3}); }),
           "row 1 has 3 values; wanted at most 2");
  Contains(ErrorOf([&] { Ragged::from_padded(ones({2, 2}), {1}); }),
           "wanted 1 padded rows");
  Contains(ErrorOf([&] {
             ragged(kThree).map([](const Tensor&) { return ones({2}); });
           }),
           "splits[3] is 3; wanted 2, the number of values");
}

TEST(Ragged, SplitsAreCheckedWhenAGraphRuns) {
  Graph graph;
  Tensor values, splits, total, plain, doubled;
  {
    GraphScope building(graph);
    values = placeholder(DType::kF64, {any});
    splits = placeholder(DType::kI32, {any});
    Ragged x = Ragged::from_splits(values, splits);
    total = row_sum(x);
    plain = x.values();
    // One value less than there were: nobody knows before the step.
    Ragged half = x.map([](const Tensor& v) { return v.at({slice_from(1)}); });
    doubled = row_sum(half + half);
  }
  Session session(graph);
  auto run = [&](const Tensor& fetch, std::initializer_list<int32_t> at) {
    return session.run(fetch, {{values, Array::Vector<double>({1, 2, 4})},
                               {splits, Array::Vector<int32_t>(at)}});
  };
  EXPECT_EQ(Numbers(run(total, {0, 1, 3})), (Row{1, 6}));
  Contains(ErrorOf([&] { run(total, {0, 1, 2}); }),
           "[RaggedSplits] splits[2] is 2; wanted 3, the number of values");
  Contains(ErrorOf([&] { run(total, {0, 3, 1}); }), "ragged_test.cc:");
  Contains(ErrorOf([&] { run(doubled, {0, 1, 3}); }),
           "splits[2] is 3; wanted 2, the number of values");
  // Even if nobody looks at rows.
  Contains(ErrorOf([&] { run(plain, {0, 1, 2}); }),
           "splits[2] is 2; wanted 3, the number of values");
  EXPECT_EQ(Numbers(run(plain, {0, 1, 3})), (Row{1, 2, 4}));
  // The session is none the worse.
  EXPECT_EQ(Numbers(run(total, {0, 0, 3})), (Row{0, 7}));
}

TEST(Ragged, KnowsItsParts) {
  Ragged x = ragged(kThree);
  EXPECT_EQ(x.num_rows(), 3);
  EXPECT_EQ(x.num_values(), 3);
  EXPECT_EQ(x.depth(), 1);
  EXPECT_EQ(x.row_lengths().to_vector<int64_t>(), (Ids{2, 0, 1}));
  EXPECT_EQ(x.row_ids().to_vector<int64_t>(), (Ids{0, 0, 2}));
  EXPECT_EQ(x.row_splits().to_vector<int64_t>(), (Ids{0, 2, 2, 3}));
  EXPECT_EQ(x.row_count().item<int64_t>(), 3);
  EXPECT_FALSE(Ragged().defined());
  EXPECT_THROW(Ragged().row_splits(), Error);
  EXPECT_THROW(x.splits(1), Error);
}

TEST(Ragged, SavesThePadding) {
  // One long row among many short ones: what padding would cost.
  Rows rows(100, Row(2, 1.0));
  rows[50].resize(1000, 1.0);
  Ragged x = ragged(rows);
  EXPECT_EQ(x.num_values(), 99 * 2 + 1000);
  EXPECT_EQ(x.padded_elements(), 100 * 1000);
  EXPECT_EQ(ragged(Rows()).padded_elements(), 0);
}

TEST(Ragged, PadsAndTellsWhatIsPadding) {
  Ragged::Padded p = ragged(kThree).to_padded(-1.0);
  EXPECT_EQ(p.values.shape(), (PartialShape{3, 2}));
  EXPECT_EQ(Numbers(p.values.array()), (Row{1, 2, -1, -1, 3, -1}));
  EXPECT_EQ(Elements<bool>(p.mask.array()),
            (std::vector<bool>{true, true, false, false, true, false}));
  EXPECT_EQ(Numbers(ragged(kThree).to_padded().values.array()),
            (Row{1, 2, 0, 0, 3, 0}));
  Array text = ragged({{"a"}, {}}).to_padded().values.array();
  EXPECT_EQ(text.data<std::string>()[1], "");
  for (const Rows& rows : ManyRows()) {
    size_t width = 0;
    for (const Row& row : rows) width = std::max(width, row.size());
    Row want, mask;
    for (Row row : rows) {
      for (size_t i = 0; i < width; ++i) mask.push_back(i < row.size());
      row.resize(width, 0.5);
      want.insert(want.end(), row.begin(), row.end());
    }
    std::vector<Array> got = InEveryWay(
        [](const Ragged& x) {
          Ragged::Padded padded = x.to_padded(0.5);
          return std::vector<Tensor>{padded.values,
                                     cast(padded.mask, DType::kF64)};
        },
        rows);
    EXPECT_EQ(Numbers(got[0]), want);
    EXPECT_EQ(Numbers(got[1]), mask);
  }
}

TEST(Ragged, ListsItsRows) {
  Ragged x = ragged(kThree);
  std::vector<Tensor> rows = x.to_list();
  ASSERT_EQ(rows.size(), 3u);
  for (size_t r = 0; r < 3; ++r) EXPECT_EQ(Numbers(rows[r].array()), kThree[r]);
}

TEST(Ragged, Prints) {
  EXPECT_EQ(ragged({{1, 2}, {}, {3}}).ToString(), "[[1, 2], [], [3]]");
  EXPECT_EQ(ragged(Rows()).ToString(), "[]");
  EXPECT_EQ(Ragged().ToString(), "(nothing)");
  Tensor pairs = constant({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(Ragged::from_lengths(pairs, {1, 2}).ToString(),
            "[[[1, 2]], [[3, 4], [5, 6]]]");
  EXPECT_EQ(ragged({{1, 2}, {}, {3}}).ToString(2), "[[1, 2], ...]");
  std::ostringstream text;
  text << ragged({{1.5f}, {}});
  EXPECT_EQ(text.str(), "[[1.5], []]");
  Graph graph;
  GraphScope building(graph);
  Ragged x = Ragged::from_splits(placeholder(DType::kF32, {any, 3}, "x"),
                                 placeholder(DType::kI64, {5}, "s"));
  EXPECT_EQ(x.num_rows(), 4);
  EXPECT_EQ(x.num_values(), -1);
  Contains(x.ToString(), "f32[?,3], splits ");
  Contains(ErrorOf([&] { x.to_list(); }), "part of a graph");
  Contains(ErrorOf([&] { x.padded_elements(); }), "part of a graph");
}

TEST(Ragged, Nests) {
  Ragged words = ragged<double>({{1, 2}, {}, {3}, {4}});
  Ragged x = Ragged::from_rows(words, {0, 2, 2, 4});
  EXPECT_EQ(x.depth(), 2);
  EXPECT_EQ(x.ToString(), "[[[1, 2], []], [], [[3], [4]]]");
  EXPECT_EQ((2 * x).ToString(), "[[[2, 4], []], [], [[6], [8]]]");
  EXPECT_EQ((x + x).ToString(), "[[[2, 4], []], [], [[6], [8]]]");
  // Rows are the innermost ones; their sums are grouped as they were.
  EXPECT_EQ(x.outer(row_sum(x)).ToString(), "[[3, 0], [], [3, 4]]");
  EXPECT_EQ(RowsOf(x.inner()), RowsOf(words));
  EXPECT_EQ(Ragged::from_rows(x, {0, 1, 3}).ToString(),
            "[[[[1, 2], []]], [[], [[3], [4]]]]");
  Contains(ErrorOf([&] { Ragged::from_rows(words, {0, 2, 5}); }),
           "splits[2] is 5; wanted 4");
  Contains(ErrorOf([&] { take_rows(x, {0}); }),
           "take_rows: got rows of 2 levels; wanted 1");
  Contains(ErrorOf([&] { x + words; }), "got rows of 2 and of 1 levels");
  Contains(ErrorOf([&] { words.outer(ones({4})); }), "not grouped");
}

TEST(Ragged, IsCarriedByLoops) {
  // Each pass takes off the last row and doubles what is left.
  auto f = [](const Ragged& x) {
    auto [i, y] =
        while_loop([](Tensor i, Ragged) { return i < 2; },
                   [](Tensor i, Ragged r) {
                     return std::tuple(i + 1, slice_rows(2 * r, 0, -1));
                   },
                   constant(0), x);
    return y;
  };
  EXPECT_EQ(RaggedInEveryWay(f, {{1, 2}, {}, {3}, {4}}), (Rows{{4, 8}, {}}));
  EXPECT_EQ(RaggedInEveryWay(f, {{1}}), Rows());
}

}  // namespace
}  // namespace sluice
