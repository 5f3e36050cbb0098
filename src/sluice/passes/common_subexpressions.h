// Merges pure nodes that compute the same value: equal op, attributes, inputs
// (in any order for commutative ops), device and control edges. The first in
// program order stays. A node in a region may be replaced by one of an
// enclosing region, never by one of a sibling region. One sweep over a hash
// table. One thread; no other sees the graph meanwhile.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Result<bool> MergeCommonSubexpressions(Graph& graph);

}  // namespace sluice
