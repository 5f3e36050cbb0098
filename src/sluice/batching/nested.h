// Nested vmaps: a call, in code that is to be batched, of code that is to be
// batched itself. Where that code chooses or loops, its lanes cannot be cut
// into groups before the lanes around it are known: each of those would have
// groups of its own sizes. It is left as a call and batched together with what
// is around it, on lanes of lanes.
#pragma once

#include <unordered_map>
#include <vector>

namespace sluice {

struct NestedCall {
  std::vector<bool> batched;  // for each argument: its axis 0 are lanes
};

// By the id of the Call node.
using NestedCalls = std::unordered_map<int, NestedCall>;

}  // namespace sluice
