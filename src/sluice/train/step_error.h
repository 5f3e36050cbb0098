// The error of a step whose loss is not finite, with its cause.
#pragma once

#include <functional>
#include <vector>

#include "sluice/nn/module.h"

namespace sluice::train {

// Runs the loss again, call by call, to find the first op whose result is not
// finite; says its line and inputs, or which parameter was so before.
Status ExplainLoss(
    nn::Module& model,
    const std::function<Tensor(const std::vector<Tensor>&)>& loss,
    const std::vector<Tensor>& batch, int64_t step, double value);

}  // namespace sluice::train
