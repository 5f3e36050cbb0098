// StableOrder: a region's nodes in program order when nothing is used above
// its producer, which is nearly always, and else in topological order. What
// the text and binary forms write.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Program order also when there is a cycle: then there is no better one.
std::vector<Node*> StableOrder(const Region& region);

}  // namespace sluice
