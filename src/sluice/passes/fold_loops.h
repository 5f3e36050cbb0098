// Loops known to run zero times become the values they were given, loops known
// to run exactly once become their body. Known: `maximum` says so, or the
// condition follows from constants the loop starts with.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> FoldLoops(Graph& graph, std::vector<std::string>* notes = nullptr);

}  // namespace sluice
