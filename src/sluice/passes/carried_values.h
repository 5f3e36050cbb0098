// Values a loop carries without need: one that the body returns unchanged is
// read from outside instead; one that only feeds itself, and no output that is
// used, no condition and no effect, goes with all that computes it.
//
// A loop that is not known to end keeps at least one result that is used:
// waiting for it may be what the program does.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> DropCarriedValues(Graph& graph,
                               std::vector<std::string>* notes = nullptr);

}  // namespace sluice
