// The reference interpreter: the semantics of a graph in the simplest form. A
// map from values to arrays, nodes in topological order, one at a time, each
// through RunOp; regions run in the same way, and those that contain raw
// primitives run by tokens (reference_tokens.h). Every executor is tested
// against it.
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

// Runs one node, including its regions, with these outer values.
Result<std::vector<Array>> InterpretNode(const Node& node,
                                         std::span<const Value> around,
                                         std::span<const Array> values,
                                         const StepContext& step);

}  // namespace sluice
