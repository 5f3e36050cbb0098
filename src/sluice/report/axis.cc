#include "sluice/report/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sluice::report {

namespace {

// Differences of larger numbers are no doubles.
constexpr double kMost = 1e300;

// Texts of ticks `step` apart, all in the same form: 0.25 0.50, 10k 20k.
std::string TickText(double value, double step, double largest) {
  if (std::fabs(value) < step * 1e-6) return "0";
  char text[64];
  static constexpr struct {
    double unit;
    const char* letter;
  } kUnits[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
  if (largest >= 1e15 || largest < 1e-3) {
    int digits = static_cast<int>(std::floor(std::log10(largest)) -
                                  std::floor(std::log10(step)));
    std::snprintf(text, sizeof text, "%.*e", std::clamp(digits, 0, 8), value);
    // 1e-05 reads better as 1e-5.
    std::string out = text;
    size_t zero = out.find_first_of("+-", 1) + 1;
    while (zero + 1 < out.size() && out[zero] == '0') out.erase(zero, 1);
    if (out[zero - 1] == '+') out.erase(zero - 1, 1);
    return out;
  }
  for (const auto& [unit, letter] : kUnits) {
    // Thousands get a letter only where they are many.
    if (largest < (unit == 1e3 ? 1e4 : unit) && unit > 1) continue;
    double digits = -std::floor(std::log10(step / unit) + 1e-9);
    std::snprintf(text, sizeof text, "%.*f%s",
                  static_cast<int>(std::clamp(digits, 0.0, 10.0)), value / unit,
                  letter);
    return text;
  }
  return "";
}

}  // namespace

bool Axis::HasPlace(double value) const {
  return std::fabs(value) < kMost && (!logarithmic_ || value > 0);
}

double Axis::Scaled(double value) const {
  return logarithmic_ ? std::log10(value) : value;
}

void Axis::Include(double value) {
  if (!HasPlace(value)) return;
  double v = Scaled(value);
  low_ = any_ ? std::min(low_, v) : v;
  high_ = any_ ? std::max(high_, v) : v;
  any_ = true;
}

void Axis::Settle(double margin, int most) {
  // One number alone stands in the middle.
  double least = std::max(std::fabs(low_) * 1e-9, 1e-300);
  if (high_ - low_ < least) {
    double room = logarithmic_ ? 1 : std::max(std::fabs(low_) * 0.1, 1e-12);
    if (!logarithmic_ && low_ == 0) room = 1;
    low_ -= room;
    high_ += room;
  }
  double room = (high_ - low_) * margin;
  low_ -= room;
  high_ += room;
  ticks_.clear();
  if (logarithmic_) {
    LogTicks(most);
  } else {
    LinearTicks(most);
  }
}

double Axis::PlaceOf(double value) const {
  return (Scaled(value) - low_) / (high_ - low_);
}

void Axis::LinearTicks(int most) {
  // The smallest of 1, 2 and 5 times a power of ten that is not too many.
  double rough = (high_ - low_) / most;
  double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * 10;
  for (double times : {5.0, 2.0, 1.0}) {
    if (times * power >= rough * (1 - 1e-9)) step = times * power;
  }
  double largest = std::max(std::fabs(low_), std::fabs(high_));
  double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i <= most; ++i) {
    double value = (first + i) * step;
    if (value > high_ + step * 1e-9) break;
    ticks_.push_back({value, TickText(value, step, largest)});
  }
}

void Axis::LogTicks(int most) {
  double decades = high_ - low_;
  int every = std::max(1, static_cast<int>(std::ceil(decades / most)));
  // Over few decades also 2 and 5 times a power of ten.
  bool between = decades * 3 <= most;
  for (double power = std::floor(low_ / every) * every; power <= high_;
       power += every) {
    for (double times : {1.0, 2.0, 5.0}) {
      if (times > 1 && !between) break;
      double at = power + std::log10(times);
      if (at < low_ || at > high_) continue;
      char text[64];
      if (power >= -3 && power <= 4) {
        std::snprintf(text, sizeof text, "%g", times * std::pow(10, power));
      } else {
        std::snprintf(text, sizeof text, "%ge%d", times,
                      static_cast<int>(power));
      }
      ticks_.push_back({times * std::pow(10, power), text});
    }
  }
}

}  // namespace sluice::report
