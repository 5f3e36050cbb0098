// Through which values of a function gradients go when they reach a call of it:
// the results they flow into, and the arguments and outer values they flow to,
// for this call and for every call that its run makes, of itself or of others.
// Found once for all these calls together, so that one function serves as the
// gradient of all of them.
//
// Plain functions; the caller holds the graph's lock.
#pragma once

#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct CallActivity {
  std::vector<int> results;     // that gradients flow into, by number
  std::vector<int> args;        // that they flow to, by number
  std::vector<Value> captures;  // and values around the function
  // Results that nothing gradients are asked for goes into: what flows into
  // them ends there.
  std::vector<int> constant;
  bool operator==(const CallActivity&) const = default;
};

// `call` is a call whose outputs of the numbers `flowing` gradients flow into;
// `wanted` holds those of its inputs and captures that gradients are asked for.
CallActivity FindCallActivity(
    const Node& call, const std::vector<int>& flowing,
    const std::unordered_set<Value, ValueHash>& wanted);

}  // namespace sluice
