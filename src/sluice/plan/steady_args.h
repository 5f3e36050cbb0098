// Which arguments of a graph must not change while it runs: those whose numbers
// say which memory a kernel touches (op/steady_inputs.h), themselves or through
// views, loops and state. A step takes a copy of what is fed for them.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"

namespace sluice {

// By argument of the root region.
std::vector<bool> ArgsReadAsPlaces(const Graph& graph);

}  // namespace sluice
