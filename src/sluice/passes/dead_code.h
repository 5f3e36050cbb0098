// Removes nodes that nobody uses and whose running nobody would notice: not
// results, not targets, nothing that keeps or changes state or prints. Drawing
// random numbers is no effect: numbers are keyed by node and step, so leaving
// a draw out changes no other.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Result<bool> RemoveDeadCode(Graph& graph);

}  // namespace sluice
