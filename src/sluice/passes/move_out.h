// MoveOut: a region's nodes become nodes of the region around its owner. What
// folding a conditional or a loop and inlining a call end with.
#pragma once

#include "sluice/graph/batch_edit.h"

namespace sluice {

// Moves all nodes of `region` to right before `owner`, which is erased; its
// outputs become what the region's results stand for. Who waited for the owner
// waits for the nodes; they wait for what it waited for. REQUIRES: arguments
// have been replaced, the region runs exactly when its owner does.
void MoveOut(Graph& graph, BatchEdit& edit, Region& region, Node& owner);

}  // namespace sluice
