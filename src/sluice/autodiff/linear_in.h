// LinearIn: which inputs an op is linear in, others held fixed: what it gives
// for a sum of inputs is the sum of what it gives for each. What loops use to
// apply an op once, after the loop, to a sum over its iterations.
#pragma once

#include <functional>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// The inputs of `node` that are not `fixed`, when it is linear in all of them
// together; else nothing.
std::vector<Value> LinearIn(const Node& node,
                            const std::function<bool(const Value&)>& fixed);

}  // namespace sluice
