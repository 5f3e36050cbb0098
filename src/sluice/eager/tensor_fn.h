// Functions of tensors, as derivatives take and give them.
#pragma once

#include <functional>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice {

using TensorFn = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// A gradient of the user's own: it gets inputs, results and what flows into the
// results, and returns one gradient per input; a Tensor that holds nothing
// stands for none.
using BackwardFn = std::function<std::vector<Tensor>(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& results,
    const std::vector<Tensor>& grads)>;

}  // namespace sluice
