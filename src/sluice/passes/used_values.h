// UsedValues: finds the outputs with readers among those of nodes that own
// regions. A node lists its users, but not which of its outputs they use. One
// thread; no other changes the graph meanwhile.
#pragma once

#include <unordered_set>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

using ValueSet = std::unordered_set<Value, ValueHash>;

// Counts reads by nodes and by results, in all regions.
ValueSet UsedRegionOutputs(const Graph& graph);

}  // namespace sluice
