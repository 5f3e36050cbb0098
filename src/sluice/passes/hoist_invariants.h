// Moves loop-invariant nodes out of loops: pure nodes of a body or a condition
// that read nothing the loop changes. They move out of as many loops as
// possible, but never out of a branch. A loop may run zero times, so only nodes
// that cannot fail are moved. One thread; no other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> HoistInvariants(Graph& graph,
                             std::vector<std::string>* notes = nullptr);

}  // namespace sluice
