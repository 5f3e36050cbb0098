// Helpers for the references of normalisations. Slow and obvious on purpose.
#pragma once

#include <cmath>
#include <vector>

#include "sluice/kernels/reference.h"

namespace sluice::ref {

struct MeanAndVariance {
  double mean = 0, variance = 0;
  double rstd(double epsilon) const {
    return 1 / std::sqrt(variance + epsilon);
  }
};

inline MeanAndVariance Statistics(const std::vector<double>& v) {
  MeanAndVariance s;
  if (v.empty()) return s;
  auto n = static_cast<double>(v.size());
  for (double x : v) s.mean += x / n;
  for (double x : v) s.variance += (x - s.mean) * (x - s.mean) / n;
  return s;
}

// How a shape falls into rows at an axis.
struct RowsOf {
  Shape outer, inner;
  size_t rows, n;
  RowsOf(const Shape& shape, int64_t axis) {
    Ints dims = DimsOf(shape);
    auto cut = dims.begin() + Axis(axis, shape.rank());
    outer = MakeShape(Ints(dims.begin(), cut));
    inner = MakeShape(Ints(cut, dims.end()));
    rows = static_cast<size_t>(outer.num_elements());
    n = static_cast<size_t>(inner.num_elements());
  }
};

}  // namespace sluice::ref
