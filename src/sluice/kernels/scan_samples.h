// Samples, rejects and the reference that running sums and their kin share.
#pragma once

#include <functional>
#include <string_view>

#include "sluice/kernels/reference.h"

namespace sluice {

// Folds, for every element, the elements up to it along "axis" in order;
// "reverse" and (where the op has it) "exclusive" as the op has them.
RefFn ScanReference(std::function<double(const std::vector<double>&)> fold);

std::vector<Sample> ScanSamples(bool exclusive, double lo = -2, double hi = 2);
std::vector<Reject> ScanRejects(std::string_view op);

}  // namespace sluice
