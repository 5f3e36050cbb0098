// Computes what is the same in every iteration of a loop once, before it: pure
// nodes of a body or a condition that read nothing the loop changes. They go
// out of as many loops as they can, but never out of a branch. A loop may run
// zero times, so only nodes that cannot fail are moved.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> HoistInvariants(Graph& graph,
                             std::vector<std::string>* notes = nullptr);

}  // namespace sluice
