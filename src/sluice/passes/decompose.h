// Decompose: replaces ops without a kernel on their device by the decomposition
// in their records (op/decompose_context.h), repeatedly. One thread; no other
// sees the graph meanwhile.
#pragma once

#include <functional>

#include "sluice/graph/graph.h"

namespace sluice {

// `lacks` tells whether a node has no kernel. Nodes without a decomposition
// stay. The new nodes inherit device, line and controls. Returns whether the
// graph changed. REQUIRES: no other thread sees the graph.
Result<bool> Decompose(Graph& graph,
                       const std::function<bool(const Node&)>& lacks);

}  // namespace sluice
