// Whether user code sees the gradient of a value: a backward function receives
// missing gradients too, but is not called where no gradient arrives.
#pragma once

#include <vector>

#include "sluice/graph/value.h"

namespace sluice::front_internal {

// True if `value` is a result of such a function, or of a conditional, a loop
// or a call that computes it from such results. The caller must not hold the
// graph's lock.
bool SeenByCode(const Value& value);
// By such result in the body of a loop: which results of the iteration it
// contributes to.
std::vector<std::vector<bool>> SeenInLoop(const Node& loop);

}  // namespace sluice::front_internal
