// Which values carried by a loop matter, and to which others.
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// Carried values that gradients flow into, at the end, where `dy` says so, or
// on the way.
std::vector<int> ActiveCarries(Region& body, std::span<const Value> dy);

// Whether each carried value is read for anything that is used: by results of
// the loop that have users, by other such values, or where it comes from by
// others than the loop, such as the gradient that computes a counter again.
std::vector<bool> NeededCarries(Node& loop);

// What the loop reads around it and gradients are wanted of.
std::vector<Value> WantedCaptures(
    const Node& loop, const std::unordered_set<Value, ValueHash>& wanted);

}  // namespace sluice
