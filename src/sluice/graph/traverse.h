// Orders over a region: topological, by data, control and effect edges.
#pragma once

#include <vector>

#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// The region's nodes so that every node comes after what it waits for; among
// nodes that are free, program order. Error: a cycle, naming its nodes.
Result<std::vector<Node*>> TopologicalOrder(
    const Region& region, const std::vector<EffectEdge>& effects = {});

// What `node` reads inside its region: its inputs, and for ops with regions
// also the values their nodes capture from outside, and for calls what the
// function captures.
std::vector<Value> InputsWithCaptures(const Node& node);

// Switch, Merge, Enter, ...: what moves values and computes nothing.
bool IsPrimitive(const Node& node);
// True when the region itself, not one inside it, holds a primitive.
bool HasPrimitives(const Region& region);

}  // namespace sluice
