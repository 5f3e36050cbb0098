// Removes nodes that have no users and no visible effect: not results, not
// targets, nothing that keeps or changes state or prints. Drawing random
// numbers is no effect: numbers are keyed by node and step, so removing a draw
// changes no other. One thread; no other sees the graph meanwhile.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Result<bool> RemoveDeadCode(Graph& graph);

}  // namespace sluice
