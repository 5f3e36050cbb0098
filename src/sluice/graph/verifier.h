// Verify: is this graph whole? Checks everything other code takes for granted,
// from scratch and without trusting bookkeeping: owners and names, scope and
// order, types against records and shape functions, users, results, targets.
// n log n; debug builds run it after every pass.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// An error is a mistake of ours or of whoever edited the graph by hand, and
// names the node.
Status Verify(const Graph& graph);

}  // namespace sluice
