// Moves a computation whose result only one branch uses into that branch, so
// that it is skipped if another branch is taken. It never moves nodes into a
// loop, where they would run repeatedly, and only moves nodes that cannot fail
// and whose absence is not observable. One thread; no other sees the graph
// meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// `notes`, if not null, receives one line per change.
Result<bool> SinkIntoBranches(Graph& graph,
                              std::vector<std::string>* notes = nullptr);

}  // namespace sluice
