// Reads of lists learn what shape the elements are known to have, so that what
// computes with them can be planned: a backward loop knows the sizes of what
// the forward loop kept.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> RefineLists(Graph& graph,
                         std::vector<std::string>* notes = nullptr);

}  // namespace sluice
