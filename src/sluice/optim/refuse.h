// Bad input, refused: one place that makes the exception.
#pragma once

#include <cmath>
#include <source_location>
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/source_line.h"
#include "sluice/base/strings.h"

namespace sluice::optim {

[[noreturn]] inline void Refuse(const std::string& message,
                                const std::source_location* where = nullptr) {
  Status status = InvalidArgument(message);
  if (where) {
    status = status.WithLine(StrCat("at ", SourceLine::From(*where)));
  }
  throw Error(status);
}

// Refuses what is not in [low, high]; NaN is in no range.
inline void CheckOption(std::string_view owner, std::string_view option,
                        double value, double low = 0, double high = HUGE_VAL) {
  if (value >= low && value <= high && std::isfinite(value)) return;
  std::string wanted = std::isfinite(high)
                           ? StrCat("a number in [", low, ", ", high, "]")
                           : StrCat("a finite number, at least ", low);
  Refuse(StrCat(owner, ": ", option, " is ", value, "; wanted ", wanted));
}

// Refuses what is not in [0, 1): a part that is kept from step to step, where a
// mean of nothing but the beginning would be divided by 0.
inline void CheckKept(std::string_view owner, std::string_view option,
                      double value) {
  if (value >= 0 && value < 1) return;
  Refuse(StrCat(owner, ": ", option, " is ", value,
                "; wanted a number in [0, 1)"));
}

}  // namespace sluice::optim
