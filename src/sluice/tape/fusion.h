// Fusion orders the nodes of an island so that elementwise nodes over the same
// iteration space are adjacent, then cuts that order into groups. Each group
// becomes one fused loop or one kernel launch, which may include loops
// (fuse_neighbours.h).
//
// Plain functions and values, used while a tape is built.
#pragma once

#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// Elementwise nodes in order, over the same iteration space.
struct FusedNodes {
  Shape space;
  std::vector<Node*> nodes;
  bool empty() const { return nodes.empty(); }
};

struct FusionGroup {
  Node* node = nullptr;      // a kernel or a view; null for a loop alone
  FusedNodes loop;           // alone, or applied to the kernel's result
  FusedNodes before;         // computes input 0 of the kernel on demand
  std::vector<Node*> views;  // of the kernel's results; the loop reads them
};

struct FusionOptions {
  bool enabled = true;  // off: every elementwise node is its own loop
  // The maximum number of streams that a loop over a long space reads and
  // writes at once. Beyond about this many, hardware prefetch stops.
  int max_streams = 24;
};

// `nodes`: a convex set in topological order. Views form their own groups and
// cost nothing; they never split a loop that does not read them.
std::vector<FusionGroup> FormGroups(const std::vector<Node*>& nodes,
                                    const FusionOptions& options);

// True when the node can be part of a fused loop.
bool Fusable(const Node& node);
BlockKernel SelectBlock(const Node& node);

}  // namespace sluice
