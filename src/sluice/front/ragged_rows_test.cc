#include "sluice/front/ragged_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sluice/front/ragged_test_util.h"

namespace sluice {
namespace {

using Change = std::function<Ragged(const Ragged&)>;

void ExpectRows(const Change& f, const std::function<Rows(const Rows&)>& want) {
  for (const Rows& rows : ManyRows()) {
    EXPECT_EQ(RaggedInEveryWay(f, rows), want(rows));
  }
}

TEST(RaggedRows, AreTakenByNumber) {
  Rows rows = SomeRows(8);
  EXPECT_EQ(
      RaggedInEveryWay(
          [](const Ragged& x) { return take_rows(x, {3, 3, 0, 7, 1}); }, rows),
      (Rows{rows[3], rows[3], rows[0], rows[7], rows[1]}));
  EXPECT_EQ(RaggedInEveryWay(
                [](const Ragged& x) {
                  return take_rows(x, Array::Zeros(DType::kI32, {0}));
                },
                rows),
            Rows());
  std::string text = ErrorOf([&] { take_rows(ragged(rows), {0, 8}); });
  Contains(text, "[RaggedTake] rows[1] is 8; wanted 0 <= row < 8");
  Contains(text, "ragged_rows_test.cc:");
  Contains(ErrorOf([] { take_rows(Ragged(), {0}); }), "holds nothing");
  // Values with axes of their own.
  Ragged pairs =
      Ragged::from_lengths(constant({{1, 2}, {3, 4}, {5, 6}}), {1, 2});
  EXPECT_EQ(take_rows(pairs, {1, 0}).ToString(),
            "[[[3, 4], [5, 6]], [[1, 2]]]");
}

TEST(RaggedRows, AreSliced) {
  ExpectRows([](const Ragged& x) { return slice_rows(x, 1, -1); },
             [](const Rows& rows) {
               return rows.size() < 2 ? Rows()
                                      : Rows(rows.begin() + 1, rows.end() - 1);
             });
  ExpectRows([](const Ragged& x) { return slice_rows(x, 0, 100, 2); },
             [](const Rows& rows) {
               Rows out;
               for (size_t r = 0; r < rows.size(); r += 2)
                 out.push_back(rows[r]);
               return out;
             });
}

TEST(RaggedRows, AreMasked) {
  auto long_ones = [](const Ragged& x) { return x.row_lengths() > 1; };
  ExpectRows([&](const Ragged& x) { return mask_rows(x, long_ones(x)); },
             [](const Rows& rows) {
               Rows out;
               for (const Row& row : rows) {
                 if (row.size() > 1) out.push_back(row);
               }
               return out;
             });
  Contains(ErrorOf([] { mask_rows(ragged<double>({{1}, {2}}), {true}); }),
           "[MaskedSelect] x is i64[2], mask is bool[1]");
}

TEST(RaggedRows, LoseSomeValues) {
  ExpectRows(
      [](const Ragged& x) {
        return mask_values(x, ragged_binary("Greater", x, 0));
      },
      [](const Rows& rows) {
        return EachRow(rows, [](Row row) {
          std::erase_if(row, [](double v) { return v <= 0; });
          return row;
        });
      });
  Contains(ErrorOf([] {
             mask_values(ragged<double>({{1}, {2}}),
                         ragged<bool>({{true, false}, {}}));
           }),
           "wanted equal rows");
}

TEST(RaggedRows, FollowOneAnother) {
  ExpectRows([](const Ragged& x) { return concat_rows({x, 2 * x, x}); },
             [](const Rows& rows) {
               Rows out = rows;
               for (Row row : rows) {
                 for (double& v : row) v *= 2;
                 out.push_back(row);
               }
               out.insert(out.end(), rows.begin(), rows.end());
               return out;
             });
  EXPECT_EQ(RowsOf(concat_rows({ragged<double>({{1}}), ragged<double>({{}})})),
            (Rows{{1}, {}}));
  Contains(ErrorOf([] { concat_rows({}); }), "got no rows");
}

TEST(RaggedRows, GrowByThoseOfOthers) {
  ExpectRows(
      [](const Ragged& x) { return concat_in_rows({x, sort_in_rows(x), x}); },
      [](const Rows& rows) {
        return EachRow(rows, [](const Row& row) {
          Row out = row, sorted = row;
          std::sort(sorted.begin(), sorted.end());
          out.insert(out.end(), sorted.begin(), sorted.end());
          out.insert(out.end(), row.begin(), row.end());
          return out;
        });
      });
  Ragged a = ragged({{1, 2}, {}, {3}}), b = ragged({{}, {4}, {5, 6}});
  EXPECT_EQ(concat_in_rows({a, b}).ToString(), "[[1, 2], [4], [3, 5, 6]]");
  EXPECT_EQ(concat_in_rows({a}).ToString(), a.ToString());
  Contains(ErrorOf([&] { concat_in_rows({a, ragged({{1}})}); }),
           "wanted equal numbers of rows");
  Contains(ErrorOf([] { concat_in_rows({}); }), "wanted at least one");
}

TEST(RaggedRows, AreRepeatedAndTiled) {
  ExpectRows([](const Ragged& x) { return repeat_rows(x, 2); },
             [](const Rows& rows) {
               Rows out;
               for (const Row& row : rows) out.insert(out.end(), 2, row);
               return out;
             });
  ExpectRows([](const Ragged& x) { return tile_rows(x, 3); },
             [](const Rows& rows) {
               Rows out;
               for (int i = 0; i < 3; ++i) {
                 out.insert(out.end(), rows.begin(), rows.end());
               }
               return out;
             });
  EXPECT_EQ(repeat_rows(ragged({{1, 2}, {}, {3}}), {2, 1, 0}).ToString(),
            "[[1, 2], [1, 2], []]");
}

TEST(RaggedRows, AreReversed) {
  ExpectRows([](const Ragged& x) { return reverse_rows(x); },
             [](const Rows& rows) { return Rows(rows.rbegin(), rows.rend()); });
  ExpectRows([](const Ragged& x) { return reverse_in_rows(x); },
             [](const Rows& rows) {
               return EachRow(rows, [](const Row& row) {
                 return Row(row.rbegin(), row.rend());
               });
             });
}

TEST(RaggedRows, AreSorted) {
  for (bool descending : {false, true}) {
    ExpectRows([&](const Ragged& x) { return sort_in_rows(x, descending); },
               [&](const Rows& rows) {
                 return EachRow(rows, [&](Row row) {
                   std::sort(row.begin(), row.end());
                   if (descending) std::reverse(row.begin(), row.end());
                   return row;
                 });
               });
  }
}

}  // namespace
}  // namespace sluice
