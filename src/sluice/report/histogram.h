// Histogram: the distribution of a tensor's elements, in buckets of equal width
// from the smallest to the largest.
//
// Elements that are not finite are in no bucket and no sum; they are counted
// separately. A plain value.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {
class Array;
}

namespace sluice::report {

struct Histogram {
  static constexpr int kBuckets = 64;

  double min = 0, max = 0, sum = 0, sum_squares = 0;
  int64_t count = 0;           // finite elements
  int64_t not_finite = 0;      // NaN and infinities
  std::vector<double> limits;  // upper end of each bucket; the last is max
  std::vector<double> counts;  // empty if no element is finite

  // Error: InvalidArgument for complex numbers, strings and resources.
  static Result<Histogram> Of(const Array& array);
};

}  // namespace sluice::report
