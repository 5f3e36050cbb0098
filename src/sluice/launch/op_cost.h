// A rough time for one node, from its record's cost and its shapes: enough to
// tell a scalar add from a matrix product.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

double NodeCostNanos(const Node& node);

}  // namespace sluice
