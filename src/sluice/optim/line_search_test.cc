// The search along a line, on functions whose best length is known.
#include "sluice/optim/line_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::optim {
namespace {

template <class F, class D>
Point Search(F f, D slope, double first, int* points = nullptr) {
  int count = 0;
  auto at = [&](double t) {
    ++count;
    return Point{.t = t, .loss = f(t), .slope = slope(t), .grad = {}};
  };
  Point end = SearchStrongWolfe(at, at(0), first);
  if (points) *points = count;
  EXPECT_LE(end.loss, f(0) + 1e-4 * end.t * slope(0));
  EXPECT_LE(std::abs(end.slope), 0.9 * std::abs(slope(0)));
  return end;
}

TEST(LineSearch, WorksFromStepsTooShortAndTooLong) {
  auto f = [](double t) { return (t - 3) * (t - 3); };
  auto slope = [](double t) { return 2 * (t - 3); };
  for (double first : {1e-6, 0.01, 1.0, 3.0, 5.9, 100.0, 1e6}) {
    int points;
    Search(f, slope, first, &points);
    EXPECT_LE(points, 14) << first;
  }
}

TEST(LineSearch, OfCrookedFunctions) {
  auto f = [](double t) { return std::cos(3 * t) / 3 + 0.1 * t * t - 2 * t; };
  auto slope = [](double t) { return -std::sin(3 * t) + 0.2 * t - 2; };
  for (double first : {0.1, 1.0, 7.0, 40.0}) Search(f, slope, first);
}

TEST(LineSearch, ComesBackFromWhereThereIsNoNumber) {
  auto f = [](double t) { return -std::log(1 - t) - 3 * t; };
  auto slope = [](double t) { return 1 / (1 - t) - 3; };
  Search(f, slope, 8.0);
}

// Nothing is better than where it began: it stays.
TEST(LineSearch, OfASlopeThatLies) {
  auto at = [](double t) {
    return Point{.t = t, .loss = t, .slope = -1, .grad = {}};
  };
  EXPECT_EQ(SearchStrongWolfe(at, at(0), 1).t, 0);
}

}  // namespace
}  // namespace sluice::optim
