// The values that a value of a graph directly depends on, also through
// arguments of regions and results of conditionals, loops and calls.
//
// The caller holds the graph's lock.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Separated into dependencies that gradients may follow, and those that only
// decide (which branch runs, how often a loop does).
struct Origins {
  std::vector<Value> values, deciders;
};

Origins OriginsOf(const Value& v);

}  // namespace sluice
