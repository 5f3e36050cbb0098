// Finds the arguments of a graph that must not change while it runs: their
// values determine which memory a kernel touches (op/steady_inputs.h), directly
// or through views, loops and state. A step copies the values fed for them. A
// plain function of a graph that must not change meanwhile.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"

namespace sluice {

// Indexed by argument of the root region.
std::vector<bool> ArgsReadAsPlaces(const Graph& graph);

}  // namespace sluice
