// Decompose: calls of ops that a device has no kernel for, written as what
// their records say they are made of (op/decompose_context.h), again and again.
#pragma once

#include <functional>

#include "sluice/graph/graph.h"

namespace sluice {

// `lacks` says of which nodes there is no kernel. Those whose record has no
// rule stay. What takes their place carries their device, line and controls.
// Returns whether something changed. REQUIRES: nobody else sees the graph.
Result<bool> Decompose(Graph& graph,
                       const std::function<bool(const Node&)>& lacks);

}  // namespace sluice
