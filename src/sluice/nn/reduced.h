// The last step of every loss: its numbers, their sum or their mean.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

#include "sluice/eager/tensor.h"

namespace sluice::nn {

// Throws, naming the loss, for a reduction other than none, mean and sum.
Tensor Reduced(std::string_view loss, const Tensor& each,
               const std::string& reduction, std::source_location where);

}  // namespace sluice::nn
