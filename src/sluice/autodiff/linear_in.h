// LinearIn: the inputs in which an op is linear while others are fixed: its
// result for a sum of inputs is the sum of the results. Loops use this to apply
// an op once, after the loop, to a sum over iterations.
#pragma once

#include <functional>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// The inputs of `node` that are not `fixed`, if it is linear in all of them
// together; otherwise empty.
std::vector<Value> LinearIn(const Node& node,
                            const std::function<bool(const Value&)>& fixed);

}  // namespace sluice
