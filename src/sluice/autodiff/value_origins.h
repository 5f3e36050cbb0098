// The origin of a value of a graph, one step back: through arguments of regions
// and results of conditionals, loops and calls as well.
//
// The caller holds the graph's lock.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// By ways gradients may take, and by what only decides (which branch runs, how
// often a loop does).
struct Origins {
  std::vector<Value> values, deciders;
};

Origins OriginsOf(const Value& v);

}  // namespace sluice
