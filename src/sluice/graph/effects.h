// Effect order: which nodes of a region must wait for which because they touch
// the same resource. Derived from program order, so users never write control
// dependencies to be correct: reads of a resource may overlap, a write waits
// for what came before it and holds up what comes after.
//
// The edges order nodes that run; they never make a node run. They are derived
// after pruning, from the nodes that are left.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct EffectEdge {
  Node* before;
  Node* after;
  std::string resource;  // for `explain`
};

// In program order; no edge is repeated, none that data already implies
// directly (after reads before's output).
std::vector<EffectEdge> EffectEdges(const Region& region);

// What running a node touches: resources by a key that is equal for handles
// that may share one, and whether it may change them. For region ops and calls
// all that may happen inside; nothing for a function, until it is called.
struct ResourceUse {
  std::string resource;
  bool write = false;
};
std::vector<ResourceUse> ResourcesUsed(const Node& node);

// The value a handle was made by, seen through ops that pass it on unchanged.
Value HandleOrigin(Value handle);

}  // namespace sluice
