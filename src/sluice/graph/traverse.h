// Orders over a region: topological, by data, control and effect edges.
#pragma once

#include <vector>

#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// The region's nodes in an order in which every node comes after those it waits
// for; unconstrained nodes are in program order. Error: a cycle; names its
// nodes.
Result<std::vector<Node*>> TopologicalOrder(
    const Region& region, const std::vector<EffectEdge>& effects = {});

// The values of its region that `node` reads: its inputs; for ops with regions
// also the values that their nodes capture; and for calls the captures of the
// function.
std::vector<Value> InputsWithCaptures(const Node& node);

// Switch, Merge, Enter, ...: ops that move values and compute nothing.
bool IsPrimitive(const Node& node);
// True if the region itself, not a nested one, contains a primitive.
bool HasPrimitives(const Region& region);

}  // namespace sluice
