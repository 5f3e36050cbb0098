// Scalars from tensors, and numbers formatted for people. Pure functions.
#pragma once

#include <string>

#include "sluice/base/status.h"

namespace sluice {
class Array;
}

namespace sluice::report {

// The only element of an array of any real type.
// Error: InvalidArgument for more elements, none, or other types.
Result<double> NumberOf(const Array& array);

// With about `digits` digits: "0.04213", "1.5e-07", "12", "48731", "nan".
std::string ShortNumber(double value, int digits = 4);
// With a suffix for thousands: "950", "1.2k", "38.1M".
std::string ShortCount(double value);
// Seconds in clock format: "0:07", "12:05", "3:00:12", "2d 03:00:12".
std::string ClockTime(double seconds);

}  // namespace sluice::report
