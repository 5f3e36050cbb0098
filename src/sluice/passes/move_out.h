// MoveOut: moves the nodes of a region into the region of its owner. It is the
// last step of folding a conditional or a loop and of inlining a call. One
// thread; no other sees the graph meanwhile.
#pragma once

#include "sluice/graph/batch_edit.h"

namespace sluice {

// Moves all nodes of `region` to right before `owner`, which is erased. The
// region's results replace the owner's outputs. Nodes that waited for the owner
// now wait for the moved nodes, which wait for what the owner waited for.
// REQUIRES: arguments have been replaced; the region runs exactly when its
// owner does.
void MoveOut(Graph& graph, BatchEdit& edit, Region& region, Node& owner);

}  // namespace sluice
