// References, samples and rejects of the pooling ops.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/op/sample.h"

namespace sluice {

// For pools with fixed windows and (no attribute kernel_size) adaptive ones.
std::vector<RefArray> MaxPoolReference(const std::vector<RefArray>& in,
                                       const Attrs& attrs);
std::vector<RefArray> AvgPoolReference(const std::vector<RefArray>& in,
                                       const Attrs& attrs);
std::vector<RefArray> MaxPoolGradReference(const std::vector<RefArray>& in,
                                           const Attrs& attrs);
std::vector<RefArray> MaxPoolPickReference(const std::vector<RefArray>& in,
                                           const Attrs& attrs);
std::vector<RefArray> AvgPoolGradReference(const std::vector<RefArray>& in,
                                           const Attrs& attrs);

// For 1 to 3 spatial axes.
std::vector<Sample> MaxPoolSamples(int axes);
std::vector<Sample> MaxPoolGradSamples(int axes);
std::vector<Sample> MaxPoolPickSamples(int axes);
std::vector<Sample> AvgPoolSamples(int axes);
std::vector<Sample> AvgPoolGradSamples(int axes);
std::vector<Sample> AdaptivePoolSamples(int axes);
std::vector<Sample> AdaptiveMaxPoolGradSamples(int axes);
std::vector<Sample> AdaptiveMaxPoolPickSamples(int axes);
std::vector<Sample> AdaptiveAvgPoolGradSamples(int axes);

std::vector<Reject> PoolRejects(std::string_view op, int axes);
std::vector<Reject> MaxPoolGradRejects(std::string_view op, int axes);
std::vector<Reject> MaxPoolPickRejects(std::string_view op, int axes,
                                       const Attrs& attrs);
std::vector<Reject> AvgPoolGradRejects(std::string_view op, int axes);
std::vector<Reject> AdaptivePoolRejects(std::string_view op, int axes);
std::vector<Reject> AdaptiveMaxPoolGradRejects(std::string_view op, int axes);
std::vector<Reject> AdaptiveAvgPoolGradRejects(std::string_view op, int axes);

}  // namespace sluice
