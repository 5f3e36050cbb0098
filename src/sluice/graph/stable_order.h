// StableOrder: a region's nodes in program order if nothing is used above its
// producer, which is nearly always the case, otherwise in topological order.
// The text and binary forms are written in this order.
#pragma once

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// Also program order if there is a cycle, since no better order exists.
std::vector<Node*> StableOrder(const Region& region);

}  // namespace sluice
