// RawParts: the stretches of a region that are written with primitives, each
// from where values enter a frame or are sent one way or the other to where
// they leave or are merged again.
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
  // What leaves it whichever way values went: of Exits and Merges.
  std::vector<Value> leaving;
};

// Of the nodes in `among` only, as if there were no others. Error: a cycle.
Result<std::vector<RawPart>> FindRawParts(
    Region& region, const std::unordered_set<const Node*>& among);

}  // namespace sluice
