// What a loop has counted up to is a number to those who read it afterwards,
// where constants tell how often it runs: whether it ran at all, say, is known
// then. Other loops go on reading it from the loop: that one runs as often as
// another is how they know each other (kept_invariants.h).
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> ReadKnownCounts(Graph& graph,
                             std::vector<std::string>* notes = nullptr);

}  // namespace sluice
