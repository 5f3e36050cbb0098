// UsedValues: which outputs of nodes that own regions somebody reads. A node
// lists who uses it, but not which of its outputs.
#pragma once

#include <unordered_set>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

using ValueSet = std::unordered_set<Value, ValueHash>;

// Reads by nodes and results, in all regions.
ValueSet UsedRegionOutputs(const Graph& graph);

}  // namespace sluice
