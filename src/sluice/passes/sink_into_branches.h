// A value that only one branch of a conditional uses is computed in that
// branch: not at all when another one is taken. Never into a loop, where it
// would be computed again and again, and only nodes that cannot fail, whose
// absence nobody can tell.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> SinkIntoBranches(Graph& graph,
                              std::vector<std::string>* notes = nullptr);

}  // namespace sluice
