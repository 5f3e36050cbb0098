// Axis: where the numbers of one direction of a plot lie, and which of them are
// written beside it. A plain value.
#pragma once

#include <string>
#include <vector>

namespace sluice::report {

class Axis {
 public:
  struct Tick {
    double value;
    std::string text;
  };

  // Takes in a number; others than finite ones, and on a logarithmic axis
  // others than positive ones, have no place.
  explicit Axis(bool logarithmic) : logarithmic_(logarithmic) {}
  void Include(double value);
  bool HasPlace(double value) const;

  // After all numbers: leaves `margin` (a part of the whole) on both sides, and
  // chooses at most `most` ticks.
  void Settle(double margin, int most);

  // From 0 at the beginning to 1 at the end. REQUIRES: settled, HasPlace.
  double PlaceOf(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  double Scaled(double value) const;
  void LinearTicks(int most);
  void LogTicks(int most);

  bool logarithmic_;
  bool any_ = false;
  double low_ = 0, high_ = 1;  // scaled
  std::vector<Tick> ticks_;
};

}  // namespace sluice::report
