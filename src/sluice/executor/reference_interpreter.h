// The reference interpreter: what a graph means, as plainly as it can be
// written. A map from values to arrays, nodes in topological order, one at a
// time, each through RunOp. The oracle every executor is tested against.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/step_context.h"

namespace sluice {

// Runs the root region on `args`; returns its results.
Result<std::vector<Array>> Interpret(const Graph& graph,
                                     const std::vector<Array>& args,
                                     const StepContext& step);

}  // namespace sluice
