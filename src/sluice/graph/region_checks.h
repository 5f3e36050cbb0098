// CheckRegions: checks that the regions of a conditional, a loop or a function
// match the node and its calls. Executors rely on it.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Checks numbers and dtypes of arguments and results, and that a call calls a
// function. Accepts all other nodes. Errors name the node and its line.
Status CheckRegions(const Node& node);

// The same for all nodes of a region, including nested ones.
Status CheckAllRegions(const Region& region);

}  // namespace sluice
