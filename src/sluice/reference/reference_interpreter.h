// The reference interpreter: what a graph means, as plainly as it can be
// written. A map from values to arrays, nodes in topological order, one at a
// time, each through RunOp; regions are run the same way, and those that hold
// raw primitives by tokens (reference_tokens.h). The oracle every
// executor is tested against.
#pragma once

#include <span>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/step_context.h"

namespace sluice {

class InterpretObserver;

// Runs the root region on `args`; returns its results. `observer` may be null.
Result<std::vector<Array>> Interpret(const Graph& graph,
                                     const std::vector<Array>& args,
                                     const StepContext& step,
                                     InterpretObserver* observer = nullptr);

// Runs one node, regions and all, with these values around it.
Result<std::vector<Array>> InterpretNode(const Node& node,
                                         std::span<const Value> around,
                                         std::span<const Array> values,
                                         const StepContext& step);

}  // namespace sluice
