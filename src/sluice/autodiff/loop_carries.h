// Which of the values a loop carries matter to whom.
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// Carried values that gradients flow into, at the end, where `dy` says so, or
// on the way.
std::vector<int> ActiveCarries(Region& body, std::span<const Value> dy);

// Whether each carried value is read for anything that is used: by results of
// the loop that have users, or by other such values.
std::vector<bool> NeededCarries(Node& loop);

}  // namespace sluice
