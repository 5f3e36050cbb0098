// Gives reads of lists the known shape of the elements, so that nodes that
// compute with them can be planned: a backward loop learns the sizes that the
// forward loop kept. One thread; no other sees the graph meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> RefineLists(Graph& graph,
                         std::vector<std::string>* notes = nullptr);

}  // namespace sluice
