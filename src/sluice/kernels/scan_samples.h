// Samples, rejects and the reference shared by running sums and similar ops.
// Plain functions.
#pragma once

#include <functional>
#include <string_view>

#include "sluice/kernels/reference.h"

namespace sluice {

// For every element, folds the elements up to it along "axis" in order;
// supports "reverse" and, if the op has it, "exclusive".
RefFn ScanReference(std::function<double(const std::vector<double>&)> fold);

std::vector<Sample> ScanSamples(bool exclusive, double lo = -2, double hi = 2);
std::vector<Reject> ScanRejects(std::string_view op);

}  // namespace sluice
