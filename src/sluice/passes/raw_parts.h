// RawParts: finds the parts of a region that are written with primitives. Each
// part extends from where values enter a frame or pass a Switch to where they
// leave or are merged.
//
// A snapshot; the region must not change while it is used.
#pragma once

#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct RawPart {
  std::vector<Node*> nodes;  // in program order
  // The values that leave it whichever way is taken: outputs of Exits and
  // Merges.
  std::vector<Value> leaving;
};

// Considers only the nodes in `among`. Error: a cycle.
Result<std::vector<RawPart>> FindRawParts(
    Region& region, const std::unordered_set<const Node*>& among);

}  // namespace sluice
