// The user's function as the gradient rule of a graph's node.
#pragma once

#include <string>
#include <vector>

#include "sluice/eager/tensor_fn.h"
#include "sluice/op/grad_context.h"

namespace sluice::front_internal {

// What is wrong with what the user's function returned for these inputs, or "".
std::string WrongGradients(const std::vector<Tensor>& inputs,
                           const std::vector<Tensor>& returned);

// Calls it with tensors of the graph the gradients are built in: the first
// `num_inputs` inputs of the node, its outputs, and what flows into those.
// `zeros`: where nothing does, too. Failures are told to `g`.
void BuildCustomRule(GradContext& g, size_t num_inputs,
                     const BackwardFn& backward, bool zeros);

}  // namespace sluice::front_internal
