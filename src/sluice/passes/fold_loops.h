// Replaces loops known to run zero times by their initial values, and loops
// known to run exactly once by their body. The count is known from `maximum`,
// or from the condition with constant initial values. One thread; no other sees
// the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> FoldLoops(Graph& graph, std::vector<std::string>* notes = nullptr);

}  // namespace sluice
