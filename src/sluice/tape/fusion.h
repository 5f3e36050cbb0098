// Fusion: puts the nodes of an island into an order in which elementwise nodes
// over the same iteration space stand together, and cuts that order into
// groups: each becomes one fused loop or one kernel launch. A launch may take
// loops along (fuse_neighbours.h).
#pragma once

#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// Elementwise nodes in order, over one iteration space.
struct FusedNodes {
  Shape space;
  std::vector<Node*> nodes;
  bool empty() const { return nodes.empty(); }
};

struct FusionGroup {
  Node* node = nullptr;      // a kernel or a view; null for a loop by itself
  FusedNodes loop;           // by itself, or applied behind the kernel
  FusedNodes before;         // computes the kernel's input 0 as it is asked for
  std::vector<Node*> views;  // of the kernel's results; the loop reads them
};

struct FusionOptions {
  bool enabled = true;  // off: every elementwise node is a loop of its own
  // Streams a loop over a long space reads and writes at once: beyond about
  // this many the hardware no longer prefetches them.
  int max_streams = 24;
};

// `nodes`: a convex set in topological order. Views are groups of their own
// and cost nothing; they never split a loop that does not need them.
std::vector<FusionGroup> FormGroups(const std::vector<Node*>& nodes,
                                    const FusionOptions& options);

// True when the node can be part of a fused loop.
bool Fusable(const Node& node);
BlockKernel SelectBlock(const Node& node);

}  // namespace sluice
