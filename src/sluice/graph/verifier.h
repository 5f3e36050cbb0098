// Verify: checks that a graph is valid. Checks everything that other code
// assumes, from scratch and without trusting bookkeeping: owners and names,
// scope and order, types against records and shape functions, users, results,
// targets. n log n; debug builds run it after every pass.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// An error names the node; it means a bug in Sluice or a manual edit of the
// graph.
Status Verify(const Graph& graph);

}  // namespace sluice
