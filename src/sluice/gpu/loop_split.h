// The counting part of a loop: carried scalars that decide the number of
// iterations, depend only on each other, and are read by nothing else. One
// kernel can run this part first; the rest is then a loop with a known number
// of iterations and no condition.
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
