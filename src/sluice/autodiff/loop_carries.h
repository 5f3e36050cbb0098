// Which values carried by a loop are active or needed.
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// The carried values that receive gradients, after the loop, according to `dy`,
// or during it.
std::vector<int> ActiveCarries(Region& body, std::span<const Value> dy);

// Whether each carried value is needed: by results of the loop that have users,
// by other needed values, or because nodes outside the loop read the values it
// is computed from, such as a gradient that recomputes a counter.
std::vector<bool> NeededCarries(Node& loop);

// The captures of the loop whose gradients are wanted.
std::vector<Value> WantedCaptures(
    const Node& loop, const std::unordered_set<Value, ValueHash>& wanted);

}  // namespace sluice
