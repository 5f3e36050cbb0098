// Describes an array's elements for messages: their range, and the number of
// NaN and infinite ones. Plain functions; any thread.
#pragma once

#include <limits>
#include <string>

#include "sluice/tensor/array.h"

namespace sluice {

struct FiniteRange {
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  // Range of the finite numbers; lo > hi if there are none.
  double lo = kInf, hi = -kInf;
  int64_t bad = 0;  // number of elements that are not finite
  int64_t first_bad = -1;
  double first_value = 0;  // the first such element
};
FiniteRange FiniteRangeOf(const Array& array);

// "f32[2,3] from -1 to 4 with 2 not finite".
std::string DescribeRange(const Array& array);
// "element 3 of the result is inf (2 of 6 are not finite)"; empty if all are
// finite, and for types other than floats.
std::string DescribeBad(const Array& result);

}  // namespace sluice
