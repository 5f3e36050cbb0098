// Fusion: puts the nodes of an island into an order in which elementwise nodes
// over the same iteration space stand together, and cuts that order into
// groups: each becomes one fused loop or one kernel launch.
#pragma once

#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

struct FusionGroup {
  bool fused = false;        // one loop; else a single node
  Shape space;               // of a fused loop
  std::vector<Node*> nodes;  // in order
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
