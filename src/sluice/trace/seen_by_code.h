// Whether code of the user's sees the gradient of a value: a backward function
// is told what nothing flows into, and is not called where nothing flows.
#pragma once

#include <vector>

#include "sluice/graph/value.h"

namespace sluice::front_internal {

// `value` is a result of such a function, or of a conditional, a loop or a call
// that makes it from such results. The caller holds no lock of the graph's.
bool SeenByCode(const Value& value);
// Of each such result in the body of a loop: into which results of an iteration
// it flows.
std::vector<std::vector<bool>> SeenInLoop(const Node& loop);

}  // namespace sluice::front_internal
