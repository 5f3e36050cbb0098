// Results of conditionals that nobody uses go, and so does what only they
// needed; a result that is the same value from outside in every branch is that
// value.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, when given, learns what was done, a line each.
Result<bool> SimplifyBranchResults(Graph& graph,
                                   std::vector<std::string>* notes = nullptr);

}  // namespace sluice
