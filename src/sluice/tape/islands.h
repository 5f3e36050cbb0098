// Islands: which stretches of a graph are compiled whole. An island is a
// connected set of nodes on one device (math on a few elements: on any CPU
// devices, graph/small_math.h) with nothing asynchronous inside, whose
// shapes are all known, such that no path leaves it and comes back (convex) and
// all its nodes wait for the same asynchronous operations and are alive under
// the same predicates, in the same loop. So running it as one node, when all
// its inputs are there, never waits for something that in turn waits for a part
// of it, and is right to do nothing when one of them is dead.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct IslandChoice {
  // By position in the order given: the island's number, -1 for none.
  std::vector<int> island;
  // For nodes in none: the reason, as `explain` prints it.
  std::vector<std::string> why_not;
  int count = 0;
};

struct IslandOptions {
  // Smaller ones gain nothing over single nodes.
  int min_nodes = 2;
  // Nodes of different groups do not share an island. Null: all are of one.
  std::function<int(const Node&)> group{};
};

// `order`: a topological order of the region with effect edges applied.
IslandChoice ChooseIslands(const std::vector<Node*>& order,
                           const std::vector<EffectEdge>& effects,
                           const IslandOptions& options);

// Why a node by itself cannot be part of an island; empty when it can.
std::string WhyNotInIsland(const Node& node);
// The same on a GPU, whatever device the node names.
std::string WhyNotOnGpu(const Node& node);

}  // namespace sluice
