// A user's function as the gradient rule of a graph node.
#pragma once

#include <string>
#include <vector>

#include "sluice/eager/tensor_fn.h"
#include "sluice/graph/node.h"
#include "sluice/op/grad_context.h"
#include "sluice/trace/graph_tape.h"

namespace sluice::front_internal {

// Describes what is wrong with the gradients a user's function returned for
// these inputs; "" if nothing is.
std::string WrongGradients(const std::vector<Tensor>& inputs,
                           const std::vector<Tensor>& returned);

// The number of leading inputs of a node for which its rule returns gradients.
// The node of a user's function also takes the results as inputs; those are not
// counted.
size_t NumDifferentiated(const Node& node);
// For a call whose results are also inputs. SayThroughInputs: gradients flow to
// the inputs of the user's function, whatever its own code consists of.
// SayThroughResults: they flow as through that code, which computed the
// results.
void SayThroughInputs(GraphTapeNode& way, const Node& node);
void SayThroughResults(GraphTapeNode& way, const Node& node);

// Calls the rule with tensors of the graph in which gradients are built: the
// first `num_inputs` inputs of the node, its outputs, and the incoming
// gradients. `zeros`: a missing incoming gradient is passed as zeros. Failures
// are reported to `g`.
void BuildCustomRule(GradContext& g, size_t num_inputs,
                     const BackwardFn& backward, bool zeros);

}  // namespace sluice::front_internal
