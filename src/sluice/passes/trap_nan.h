// TrapNan: behind every op of floats, a check that its results are finite, on
// the way to whoever uses them. So the op that fails is the first one, whatever
// the order of execution: what follows waits for the check.
#pragma once

#include "sluice/graph/graph.h"

namespace sluice {

// Returns whether there was anything to check. REQUIRES: nobody else sees the
// graph.
Result<bool> TrapNan(Graph& graph);

}  // namespace sluice
