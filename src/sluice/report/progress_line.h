// How far work is, as one line of text: with a bar for a terminal, without one
// for a log. Pure functions of what is to be shown.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sluice::report {

struct ProgressState {
  std::string label = {};       // "epoch 2/5"
  int64_t step = 0, total = 0;  // total 0: nobody knows
  bool counts = true;           // off: the part that is done alone
  std::string loss_name = {};   // empty: no loss to show
  double loss = 0;
  std::vector<std::pair<std::string, double>> metrics = {};
  double rate = std::numeric_limits<double>::quiet_NaN();  // NaN: unknown
  std::string unit = {};                                   // "images"
  double elapsed = 0;                                      // seconds
  double remaining = std::numeric_limits<double>::quiet_NaN();
  bool finished = false;
};

struct LineStyle {
  int columns = 80;    // at most so many characters, less one
  bool color = false;  // by escape sequences
  bool utf8 = false;   // a bar of box characters
};

// "epoch 2/5  42% [====>.....] 420/1000  loss 0.1234  1.2k images/s  eta 0:17".
// Where that is too long the bar gets shorter, then the last metrics go.
std::string BarLine(const ProgressState& state, const LineStyle& style);

// "epoch 2/5  420/1000 (42%)  loss 0.1234  1.2k images/s  0:12 gone, 0:17 left"
std::string PlainLine(const ProgressState& state);

}  // namespace sluice::report
