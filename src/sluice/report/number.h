// Numbers from tensors, and numbers as people read them. Pure functions.
#pragma once

#include <string>

#include "sluice/base/status.h"

namespace sluice {
class Array;
}

namespace sluice::report {

// The one element of an array, whatever real type it has.
// Error: InvalidArgument for more elements, none, or other types.
Result<double> NumberOf(const Array& array);

// Some `digits` digits: "0.04213", "1.5e-07", "12", "48731", "nan".
std::string ShortNumber(double value, int digits = 4);
// With a letter for thousands: "950", "1.2k", "38.1M".
std::string ShortCount(double value);
// Seconds as a clock shows them: "0:07", "12:05", "3:00:12", "2d 03:00:12".
std::string ClockTime(double seconds);

}  // namespace sluice::report
