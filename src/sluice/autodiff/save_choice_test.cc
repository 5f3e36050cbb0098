#include "sluice/autodiff/save_choice.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(SaveChoice, TakesTheCheapest) {
  struct Case {
    double forward, copy, kept_bytes;
    int64_t trips;  // 0: not known
    HowToSave want;
  };
  constexpr Case kCases[] = {
      // Fits.
      {1, 100, 10, 100, HowToSave::kKeep},
      {1, 100, 10, 101, HowToSave::kRecompute},
      {1, 100, 10, 0, HowToSave::kRecompute},
      // Hidden behind the way forward.
      {1, 0.5, 10, 1000, HowToSave::kSwap},
      {1, 1, 10, 0, HowToSave::kSwap},
      // Half an iteration longer, where computing again takes one.
      {1, 1.5, 10, 0, HowToSave::kSwap},
      // One on the way forward and none back, and a bit more.
      {1, 2, 10, 0, HowToSave::kSwap},
      {1, 2.1, 10, 0, HowToSave::kRecompute},
  };
  for (const Case& c : kCases) {
    SaveCosts costs{.forward = c.forward,
                    .copy = c.copy,
                    .kept_bytes = c.kept_bytes,
                    .budget = 1000,
                    .trips = {}};
    if (c.trips) costs.trips = c.trips;
    EXPECT_EQ(CheapestSave(costs), c.want)
        << c.forward << " " << c.copy << " " << c.trips;
  }
}

}  // namespace
}  // namespace sluice
