// CheckRegions: do the regions of a conditional, a loop or a function fit what
// the node and its calls say of them? Executors rely on it.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Numbers and dtypes of arguments and results; that a call calls a function.
// Other nodes pass. Errors name the node and its line.
Status CheckRegions(const Node& node);

// The same for all nodes of a region and inside it.
Status CheckAllRegions(const Region& region);

}  // namespace sluice
