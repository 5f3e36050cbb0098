// Islands: the parts of a graph that are compiled whole. An island is a
// connected set of nodes on one device, without asynchronous nodes and with all
// shapes known. (Math on a few elements may be on any CPU device,
// graph/small_math.h.) No path leaves the island and returns (convex). All its
// nodes wait for the same asynchronous operations, are alive under the same
// predicates and are in the same loop. Therefore an island can run as one node
// once all its inputs have arrived: it never waits for something that waits for
// a part of it, and if one input is dead it does nothing.
//
// Plain functions and values, used while a plan is built.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct IslandChoice {
  // By position in `order`: the number of the island, -1 for none.
  std::vector<int> island;
  // For nodes outside of islands: the reason, as `explain` prints it.
  std::vector<std::string> why_not;
  int count = 0;
};

struct IslandOptions {
  // Smaller islands gain nothing over single nodes.
  int min_nodes = 2;
  // Nodes of different groups do not share an island. Null: one group.
  std::function<int(const Node&)> group{};
};

// `order`: a topological order of the region with effect edges applied.
IslandChoice ChooseIslands(const std::vector<Node*>& order,
                           const std::vector<EffectEdge>& effects,
                           const IslandOptions& options);

// Why a single node cannot be part of an island; empty if it can.
std::string WhyNotInIsland(const Node& node);
// The same for a GPU, whatever device the node names.
std::string WhyNotOnGpu(const Node& node);

}  // namespace sluice
