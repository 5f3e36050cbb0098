#include "sluice/report/table.h"

#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>

#include "sluice/report/confusion.h"
#include "sluice/report/report_test_util.h"

namespace sluice::report {
namespace {

TEST(Table, NumbersStandToTheRight) {
  Table table({"layer", "parameters", "share"});
  table.row({"fc1", "78500", "98.7%"});
  table.row({"softmax", "1010", "1.3%"});
  table.line().row({"all", "79510"});
  EXPECT_EQ(table.text(),
            "layer    parameters  share\n"
            "--------------------------\n"
            "fc1           78500  98.7%\n"
            "softmax        1010   1.3%\n"
            "--------------------------\n"
            "all           79510\n");
}

TEST(Table, RaggedRowsAndOddCharacters) {
  Table table;
  table.row({"\xc3\xa4\xc3\xb6", "x"});
  table.row({"abc", "y", "more"});
  table.row({"a\nb\t", "\xff"});
  table.row({});
  EXPECT_EQ(table.text(),
            "\xc3\xa4\xc3\xb6    x\n"
            "abc   y  more\n"
            "a b   \xef\xbf\xbd\n"
            "\n");
  EXPECT_EQ(Table().text(), "");
  EXPECT_EQ(Table({"a"}).text(), "a\n-\n");
}

TEST(ConfusionMatrix, CountsAndRatios) {
  ConfusionMatrix m({"cat", "dog", "newt"});
  m.add(0, 0, 8);
  m.add(0, 1, 2);
  m.add(1, 1, 5);
  m.add(1, 0, 5);
  EXPECT_EQ(m.total(), 20);
  EXPECT_DOUBLE_EQ(m.accuracy(), 13.0 / 20);
  EXPECT_DOUBLE_EQ(m.precision(0), 8.0 / 13);
  EXPECT_DOUBLE_EQ(m.recall(0), 0.8);
  EXPECT_DOUBLE_EQ(m.f1(0), 2 * (8.0 / 13) * 0.8 / (8.0 / 13 + 0.8));
  EXPECT_TRUE(std::isnan(m.precision(2)));
  EXPECT_EQ(m.text(),
            "is \\ taken for  cat  dog  newt  precision  recall     f1\n"
            "--------------------------------------------------------\n"
            "cat               8    2     0      61.5%   80.0%  69.6%\n"
            "dog               5    5     0      71.4%   50.0%  58.8%\n"
            "newt              0    0     0          -       -      -\n"
            "accuracy 65.0% (13 of 20)\n");
}

TEST(ConfusionMatrix, TakesClassesAndScores) {
  ConfusionMatrix m(3);
  m.add(constant({0, 1, 2}), constant({0, 1, 1}, i64));
  EXPECT_EQ(m.count(2, 1), 1);
  // The first of equal scores; never a NaN.
  float nan = std::nanf("");
  m.add(constant({0, 1, 2}),
        constant({{1.f, 1.f, 0.f}, {nan, -1.f, -2.f}, {0.f, 5.f, 9.f}}));
  EXPECT_EQ(m.count(0, 0), 2);
  EXPECT_EQ(m.count(1, 1), 2);
  EXPECT_EQ(m.count(2, 2), 1);
  m.add(zeros({0}, i64), zeros({0, 3}));
  EXPECT_EQ(m.total(), 6);
}

TEST(ConfusionMatrix, AWrongClassCountsNothing) {
  ConfusionMatrix m(3);
  EXPECT_EQ(ErrorText([&] { m.add(constant({0, 1}), constant({0, 3})); }),
            "[ConfusionMatrix] prediction is class 3; wanted 0 to 2");
  EXPECT_EQ(ErrorText([&] { m.add(-1, 0); }),
            "[ConfusionMatrix] truth is class -1; wanted 0 to 2");
  EXPECT_EQ(ErrorText([&] { m.add(constant({0, 1}), zeros({2, 4})); }),
            "[ConfusionMatrix] truth is i32[2], predicted is f32[2,4]; wanted "
            "n integers and n integers or scores [n,3]");
  Contains(ErrorText([&] { m.add(zeros({2}), constant({0, 1})); }),
           "truth is f32[2]");
  Contains(ErrorText([] { ConfusionMatrix none(0); }), "of 0 classes");
  EXPECT_EQ(m.total(), 0);
  Contains(m.text(), "accuracy - (0 of 0)");
}

TEST(ConfusionMatrix, OfManyClassesThoseWithMistakesAreShown) {
  ConfusionMatrix m(100);
  for (int64_t c = 0; c < 100; ++c) m.add(c, c, 9);
  m.add(70, 71, 3);
  EXPECT_EQ(m.text(),
            "mistakes in 1 of 100 classes:\n"
            "class  seen  wrong  precision  recall     f1  most often taken "
            "for\n"
            "----------------------------------------------------------------"
            "--\n"
            "   70    12      3     100.0%   75.0%  85.7%  71 (3)\n"
            "accuracy 99.7% (900 of 903)\n");
}

}  // namespace
}  // namespace sluice::report
