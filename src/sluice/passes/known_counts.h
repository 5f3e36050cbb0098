// Replaces what a loop has counted up to by a number, for readers after the
// loop, where constants tell how often it runs; whether it ran at all is then
// known, for example. Other loops keep reading it from the loop: that is how
// loops recognize that one runs as often as another (kept_invariants.h).
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
