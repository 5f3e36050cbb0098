// A description of an array's elements for messages: their range, and how many
// of them are NaN or infinite.
#pragma once

#include <limits>
#include <string>

#include "sluice/tensor/array.h"

namespace sluice {

struct FiniteRange {
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  double lo = kInf, hi = -kInf;  // of the finite ones; lo > hi: there are none
  int64_t bad = 0;               // how many are not finite
  int64_t first_bad = -1;
  double first_value = 0;  // of that one
};
FiniteRange FiniteRangeOf(const Array& array);

// "f32[2,3] from -1 to 4 with 2 not finite".
std::string DescribeRange(const Array& array);
// "element 3 of the result is inf (2 of 6 are not finite)"; empty when all are
// finite, and for other types than floats.
std::string DescribeBad(const Array& result);

}  // namespace sluice
