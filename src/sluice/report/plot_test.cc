#include "sluice/report/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sluice/report/axis.h"
#include "sluice/report/canvas.h"
#include "sluice/report/report_test_util.h"
#include "sluice/report/stroke_font.h"
#include "sluice/report/thin_line.h"

namespace sluice::report {
namespace {

constexpr Color kWhite = {255, 255, 255}, kBlack = {0, 0, 0};

// How dark a pixel is, from 0 (white) to 1.
double Ink(const Canvas& canvas, int x, int y) {
  auto at = static_cast<size_t>(3 * (y * canvas.width() + x));
  return 1 - static_cast<unsigned char>(canvas.pixels()[at]) / 255.0;
}

double AllInk(const Canvas& canvas) {
  double sum = 0;
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) sum += Ink(canvas, x, y);
  }
  return sum;
}

TEST(Canvas, LinesAreSmooth) {
  Canvas canvas(40, 40, kWhite);
  // On the middle of a row of pixels: they are covered, others are not.
  canvas.Line({5, 10.5}, {35, 10.5}, 1, kBlack);
  EXPECT_EQ(Ink(canvas, 20, 10), 1);
  EXPECT_EQ(Ink(canvas, 20, 9), 0);
  EXPECT_EQ(Ink(canvas, 20, 11), 0);
  // Between two rows: both half.
  canvas.Line({5, 21}, {35, 21}, 1, kBlack);
  EXPECT_NEAR(Ink(canvas, 20, 20), 0.5, 0.01);
  EXPECT_NEAR(Ink(canvas, 20, 21), 0.5, 0.01);
  // However it lies, a line of length 30 covers some 30 pixels per width.
  for (double angle : {0.3, 0.8, 1.2, 2.0, 4.0}) {
    Canvas turned(60, 60, kWhite);
    Point middle{30, 30};
    Point way{15 * std::cos(angle), 15 * std::sin(angle)};
    turned.Line({middle.x - way.x, middle.y - way.y},
                {middle.x + way.x, middle.y + way.y}, 2, kBlack);
    EXPECT_NEAR(AllInk(turned), 60 + 3.1, 3) << angle;
  }
}

TEST(Canvas, WhatLiesOutsideIsNotDrawn) {
  Canvas canvas(10, 10, kWhite);
  canvas.Line({-1e6, -1e6}, {-5, -5}, 3, kBlack);
  canvas.Line({100, 3}, {200, 3}, 3, kBlack);
  canvas.Rectangle({-50, -50}, {-1, 100}, kBlack);
  canvas.Lines({}, 1, kBlack);
  canvas.Lines({{}}, 1, kBlack);
  EXPECT_EQ(AllInk(canvas), 0);
  canvas.Line({-1e6, 5.5}, {1e6, 5.5}, 1, kBlack);
  EXPECT_EQ(AllInk(canvas), 10);
  canvas.Rectangle({-5, -5}, {2, 2}, kBlack, 0.5);
  EXPECT_NEAR(AllInk(canvas), 12, 0.02);
}

TEST(StrokeFont, EveryCharacterLooksDifferent) {
  std::set<std::string> seen;
  for (char c = ' '; c <= '~'; ++c) {
    Canvas canvas(40, 40, kWhite);
    DrawText(canvas, std::string(1, c), {10, 28}, TextAnchor::kStart,
             {.size = 18, .color = kBlack});
    EXPECT_EQ(AllInk(canvas) > 0, c != ' ') << c;
    EXPECT_TRUE(seen.insert(canvas.pixels()).second) << c << " is another's";
    // Nothing at the rim: it stays within its line.
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(Ink(canvas, i, 0) + Ink(canvas, i, 39) + Ink(canvas, 0, i), 0);
    }
  }
}

TEST(StrokeFont, WidthsAndAnchors) {
  EXPECT_EQ(TextWidth("", 9), 0);
  EXPECT_DOUBLE_EQ(TextWidth("1", 9), TextWidth("8", 9));
  EXPECT_DOUBLE_EQ(TextWidth("88", 18), 2 * TextWidth("88", 9));
  // A letter of two bytes is one box.
  EXPECT_DOUBLE_EQ(TextWidth("\xc3\xa4", 9), TextWidth("\x01", 9));
  Canvas canvas(60, 30, kWhite);
  DrawText(canvas, "HHH", {57, 25}, TextAnchor::kEnd,
           {.size = 18, .color = kBlack});
  for (int y = 0; y < 30; ++y) EXPECT_EQ(Ink(canvas, 59, y), 0);
  EXPECT_GT(Ink(canvas, 56, 15), 0.5);
  // Turned, it goes up from its place.
  Canvas turned(30, 60, kWhite);
  DrawText(turned, "HHH", {25, 58}, TextAnchor::kStart,
           {.size = 18, .color = kBlack, .upwards = true});
  EXPECT_GT(Ink(turned, 15, 57), 0.5);
}

std::string Ticks(double low, double high, int most, bool log = false) {
  Axis axis(log);
  axis.Include(low);
  axis.Include(high);
  axis.Settle(0, most);
  std::string all;
  for (const Axis::Tick& tick : axis.ticks()) all += tick.text + " ";
  return all;
}

TEST(Axis, TicksAreRoundNumbers) {
  EXPECT_EQ(Ticks(0, 10, 5), "0 2 4 6 8 10 ");
  EXPECT_EQ(Ticks(0, 1, 4), "0 0.5 1.0 ");
  EXPECT_EQ(Ticks(0, 1, 5), "0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(Ticks(-0.3, 0.3, 6), "-0.3 -0.2 -0.1 0 0.1 0.2 0.3 ");
  EXPECT_EQ(Ticks(0, 20000, 4), "0 5k 10k 15k 20k ");
  EXPECT_EQ(Ticks(0, 9000, 3), "0 5000 ");
  EXPECT_EQ(Ticks(0, 3.1e6, 3), "0 2M ");
  EXPECT_EQ(Ticks(0, 2.5e-5, 5), "0 5.0e-6 1.0e-5 1.5e-5 2.0e-5 2.5e-5 ");
  EXPECT_EQ(Ticks(1000000, 1000001, 4), "1.0000000M 1.0000005M 1.0000010M ");
}

TEST(Axis, LogarithmicTicks) {
  EXPECT_EQ(Ticks(1e-5, 10, 8, true), "1e-5 1e-4 0.001 0.01 0.1 1 10 ");
  EXPECT_EQ(Ticks(0.1, 1, 6, true), "0.1 0.2 0.5 1 ");
  EXPECT_EQ(Ticks(1e-20, 1e20, 5, true), "1e-16 1e-8 1 1e8 1e16 ");
}

TEST(Axis, NumbersWithoutAPlace) {
  Axis axis(true);
  for (double v : std::vector<double>{0, -1, NAN, INFINITY, -INFINITY, 1e305}) {
    EXPECT_FALSE(axis.HasPlace(v)) << v;
    axis.Include(v);
  }
  axis.Include(100);
  axis.Settle(0, 5);
  EXPECT_DOUBLE_EQ(axis.PlaceOf(100), 0.5);
  for (double alone : {0.0, 5.0, -1e-9, 1e200, 1e-300}) {
    Axis one(false);
    one.Include(alone);
    one.Settle(0.04, 5);
    EXPECT_NEAR(one.PlaceOf(alone), 0.5, 0.01) << alone;
    EXPECT_FALSE(one.ticks().empty()) << alone;
  }
}

TEST(Plot, IsAPictureThatDependsOnItsLines) {
  Plot empty({.title = "Loss"});
  Plot one({.title = "Loss"}), two({.title = "Loss"});
  one.line("train", {3, 2, 1});
  two.line("train", {3, 2, 1}).line("test", {0, 1, 2}, {3, 2.5, 2});
  EXPECT_EQ(empty.png().substr(1, 3), "PNG");
  EXPECT_NE(empty.png(), one.png());
  EXPECT_NE(one.png(), two.png());
  EXPECT_EQ(one.png(), one.png());
}

TEST(Plot, OddNumbersAreNoReasonToFail) {
  double inf = INFINITY;
  for (bool log : {false, true}) {
    for (const std::vector<double>& y :
         std::vector<std::vector<double>>{{},
                                          {1},
                                          {NAN, NAN},
                                          {inf, -inf, 1},
                                          {0, 0, 0},
                                          {1e308, -1e308},
                                          {1e-310, 1e-320},
                                          {5, NAN, 5, NAN, 5},
                                          {-1, -2}}) {
      Plot plot({.title = "odd \xff\n\t name",
                 .width = 200,
                 .height = 160,
                 .log_y = log,
                 .smooth = 0.5});
      plot.line("\xf0\x9f\x98\x80", y);
      EXPECT_GT(plot.png().size(), 1000u);
    }
  }
}

TEST(ThinLine, TheExtremesOfEveryColumnAreKept) {
  struct Seen {
    double first, last, low = 1e9, high = -1e9;
    int points = 0;
    void Add(double y) {
      if (points++ == 0) first = y;
      last = y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  };
  std::map<int, Seen> wanted, got;
  Polyline line;
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    Point p{i / 300.0, static_cast<double>(state >> 40)};
    AddThinned(line, p);
    wanted[static_cast<int>(p.x * 2)].Add(p.y);
  }
  for (const Point& p : line) got[static_cast<int>(p.x * 2)].Add(p.y);
  ASSERT_EQ(got.size(), wanted.size());
  for (const auto& [column, seen] : wanted) {
    EXPECT_EQ(got[column].first, seen.first);
    EXPECT_EQ(got[column].last, seen.last);
    EXPECT_EQ(got[column].low, seen.low);
    EXPECT_EQ(got[column].high, seen.high);
    EXPECT_EQ(got[column].points, 4);
  }
  // Few points stay as they are, whatever way they go.
  Polyline few;
  for (double x : {5.0, 1.0, 1.1, 9.0, 1.0}) AddThinned(few, {x, 0});
  EXPECT_EQ(few.size(), 5u);
}

TEST(Plot, RefusesWhatDoesNotAgree) {
  Plot plot;
  EXPECT_EQ(ErrorText([&] { plot.line("a", {1, 2}, {1}); }),
            "[Plot] line \"a\" has 2 x and 1 y; wanted as many of both");
  EXPECT_EQ(ErrorText([] { Plot p({.width = 0}); }),
            "[Plot] is 0 x 540 pixels; wanted 160 to 8192 a side");
  Contains(ErrorText([] { Plot p({.smooth = 2}); }), "smooth is 2");
  TestFolder folder;
  WriteText(folder / "file", "x");
  Contains(ErrorText([&] { plot.save(folder / "file/loss.png"); }),
           "Not a directory");
  plot.save(folder / "new/loss.png");
  EXPECT_EQ(FileText(folder / "new/loss.png"), plot.png());
}

}  // namespace
}  // namespace sluice::report
