// Removes results of conditionals that have no users, together with the nodes
// that only they need. A result that is the same outer value in every branch is
// replaced by that value. One thread; no other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> SimplifyBranchResults(Graph& graph,
                                   std::vector<std::string>* notes = nullptr);

}  // namespace sluice
