// References, samples and rejects of Resize and its gradient.
#pragma once

#include <vector>

#include "sluice/op/sample.h"

namespace sluice {

std::vector<RefArray> ResizeReference(const std::vector<RefArray>& in,
                                      const Attrs& attrs);
std::vector<RefArray> ResizeGradReference(const std::vector<RefArray>& in,
                                          const Attrs& attrs);
std::vector<Sample> ResizeSamples();
std::vector<Sample> ResizeGradSamples();

}  // namespace sluice
