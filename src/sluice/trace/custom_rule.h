// The user's function as the gradient rule of a graph's node.
#pragma once

#include <string>
#include <vector>

#include "sluice/eager/tensor_fn.h"
#include "sluice/graph/node.h"
#include "sluice/op/grad_context.h"
#include "sluice/trace/graph_tape.h"

namespace sluice::front_internal {

// What is wrong with what the user's function returned for these inputs, or "".
std::string WrongGradients(const std::vector<Tensor>& inputs,
                           const std::vector<Tensor>& returned);

// How many inputs of a node, the first ones, its rule gives gradients: of a
// function of the user's not the results, which are inputs, too.
size_t NumDifferentiated(const Node& node);
// Tells the tape of a call whose results are inputs, too, that gradients flow
// to the inputs of the user's function, whatever its own code is made of; or as
// that code has them flow, which the results came from.
void SayThroughInputs(GraphTapeNode& way, const Node& node);
void SayThroughResults(GraphTapeNode& way, const Node& node);

// Calls it with tensors of the graph the gradients are built in: the first
// `num_inputs` inputs of the node, its outputs, and what flows into those.
// `zeros`: where nothing does, too. Failures are told to `g`.
void BuildCustomRule(GradContext& g, size_t num_inputs,
                     const BackwardFn& backward, bool zeros);

}  // namespace sluice::front_internal
