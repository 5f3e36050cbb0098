// The values of a function that gradients pass through when they reach a call
// of it: the results they arrive at, and the arguments and captures they flow
// to. This covers the given call and every call made during its run, of the
// function itself or of others. It is computed for all these calls together, so
// that one function can serve as the gradient of all of them.
//
// Plain functions; the caller holds the graph's lock.
#pragma once

#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct CallActivity {
  std::vector<int> results;     // that gradients arrive at, by index
  std::vector<int> args;        // that gradients flow to, by index
  std::vector<Value> captures;  // and captured outer values
  // Results that do not depend on anything whose gradient is wanted: gradients
  // arriving there are dropped.
  std::vector<int> constant;
  bool operator==(const CallActivity&) const = default;
};

// `call` is a call with incoming gradients at the outputs `flowing`; `wanted`
// holds those of its inputs and captures whose gradients are wanted.
CallActivity FindCallActivity(
    const Node& call, const std::vector<int>& flowing,
    const std::unordered_set<Value, ValueHash>& wanted);

}  // namespace sluice
