// Progress as one line of text: with a bar for a terminal, without one for a
// log. Pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sluice::report {

struct ProgressState {
  std::string label = {};       // e.g. "epoch 2/5"
  int64_t step = 0, total = 0;  // total 0: unknown
  bool counts = true;           // off: only the percentage
  std::string loss_name = {};   // empty: no loss is shown
  double loss = 0;
  std::vector<std::pair<std::string, double>> metrics = {};
  double rate = std::numeric_limits<double>::quiet_NaN();  // NaN: unknown
  std::string unit = {};                                   // "images"
  double elapsed = 0;                                      // seconds
  double remaining = std::numeric_limits<double>::quiet_NaN();
  bool finished = false;
};

struct LineStyle {
  int columns = 80;    // the width; lines are one shorter
  bool color = false;  // use escape sequences
  bool utf8 = false;   // draw the bar with box characters
};

// "epoch 2/5  42% [====>.....] 420/1000  loss 0.1234  1.2k images/s  eta 0:17".
// If that is too long, first the bar is shortened, then the last metrics are
// omitted.
std::string BarLine(const ProgressState& state, const LineStyle& style);

// "epoch 2/5  420/1000 (42%)  loss 0.1234  1.2k images/s  0:12 gone, 0:17 left"
std::string PlainLine(const ProgressState& state);

}  // namespace sluice::report
