// Effect order: the nodes of a region that must wait for each other because
// they access the same resource. Derived from program order, so users never
// need control dependencies for correctness: reads of a resource may overlap; a
// write waits for all earlier accesses, and later ones wait for it.
//
// The edges order nodes that run; they never make a node run. They are derived
// after pruning, from the remaining nodes.
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

// In program order, without repeats and without edges that data already implies
// directly (after reads before's output).
std::vector<EffectEdge> EffectEdges(const Region& region);

// The resources that running a node accesses: by a key that is equal for
// handles that may share a resource, and whether it may be written. For region
// ops and calls this includes everything that may happen inside; a function
// accesses nothing until it is called.
struct ResourceUse {
  std::string resource;
  bool write = false;
};
std::vector<ResourceUse> ResourcesUsed(const Node& node);

// The value that created a handle, traced through ops that pass it on
// unchanged.
Value HandleOrigin(Value handle);

}  // namespace sluice
