// Merges pure nodes that compute the same thing: equal op, attributes, inputs
// (in either order where the op commutes), device and control edges. The first
// in program order stays. A node inside a region may be replaced by one of a
// region around it, never by one of a sibling. One sweep over a hash table.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Result<bool> MergeCommonSubexpressions(Graph& graph);

}  // namespace sluice
