// Axis: the positions of numbers along one direction of a plot, and its
// labelled ticks. A plain value.
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

  // Includes a number in the range. Only finite numbers have a position, and on
  // a logarithmic axis only positive ones.
  explicit Axis(bool logarithmic) : logarithmic_(logarithmic) {}
  void Include(double value);
  bool HasPlace(double value) const;

  // Call after all numbers: leaves `margin` (a fraction of the range) on both
  // sides, and chooses at most `most` ticks.
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
