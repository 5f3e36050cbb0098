// References, samples and rejects of the convolution ops: one list of cases
// serves the forward pass, both gradients and the transposed convolution.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/op/sample.h"

namespace sluice {

std::vector<RefArray> ConvReference(const std::vector<RefArray>& in,
                                    const Attrs& attrs);
std::vector<RefArray> ConvTransposeReference(const std::vector<RefArray>& in,
                                             const Attrs& attrs);
std::vector<RefArray> ConvInputGradReference(const std::vector<RefArray>& in,
                                             const Attrs& attrs);
std::vector<RefArray> ConvFilterGradReference(const std::vector<RefArray>& in,
                                              const Attrs& attrs);

// For 1 to 3 spatial axes.
std::vector<Sample> ConvSamples(int axes);
std::vector<Sample> ConvTransposeSamples(int axes);
std::vector<Sample> ConvInputGradSamples(int axes);
std::vector<Sample> ConvFilterGradSamples(int axes);

std::vector<Reject> ConvRejects(std::string_view op, int axes);
std::vector<Reject> ConvTransposeRejects(std::string_view op, int axes);
std::vector<Reject> ConvInputGradRejects(std::string_view op, int axes);
std::vector<Reject> ConvFilterGradRejects(std::string_view op, int axes);

}  // namespace sluice
