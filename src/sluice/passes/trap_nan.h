// TrapNan: adds a check for finite results after every floating-point op,
// before all users of the result. Users wait for the check, so in any execution
// order the op that fails is the first one. One thread; no other sees the graph
// meanwhile.
#pragma once

#include "sluice/graph/graph.h"

namespace sluice {

// Returns whether there was anything to check. REQUIRES: no other thread sees
// the graph.
Result<bool> TrapNan(Graph& graph);

}  // namespace sluice
