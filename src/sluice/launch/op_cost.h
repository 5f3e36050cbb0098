// Estimates the time of one node from the cost function of its op and its
// shapes, well enough to tell a scalar add from a matrix product. Plain
// functions; any thread.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

double NodeCostNanos(const Node& node);

}  // namespace sluice
