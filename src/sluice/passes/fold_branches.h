// Replaces conditionals with a constant predicate or index by the nodes of the
// chosen branch. An index that chooses no branch is left alone: its error
// belongs to the step. One thread; no other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> FoldBranches(Graph& graph,
                          std::vector<std::string>* notes = nullptr);

}  // namespace sluice
