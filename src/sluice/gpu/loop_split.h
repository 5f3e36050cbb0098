// The part of a loop that only counts: carried single numbers that decide how
// often it goes round, computed from each other alone, and read by nothing
// else. It can be run by itself, in one kernel, before the rest, which then is
// a loop of a known number of iterations and computes no condition.
//
// Plain functions; any thread.
#pragma once

#include <unordered_set>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

struct CountingPart {
  std::vector<int> carried;               // empty: there is none
  std::unordered_set<const Node*> nodes;  // of the body
};

// REQUIRES: a loop of static types with a condition.
CountingPart FindCountingPart(const Node& loop);

}  // namespace sluice
