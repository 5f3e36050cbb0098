// Lists of samples and rejects put together: a + b.
#pragma once

#include <vector>

#include "sluice/op/sample.h"

namespace sluice {

inline std::vector<Sample> operator+(std::vector<Sample> a,
                                     const std::vector<Sample>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline std::vector<Reject> operator+(std::vector<Reject> a,
                                     const std::vector<Reject>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace sluice
