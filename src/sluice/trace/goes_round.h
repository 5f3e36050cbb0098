// Whether a loop of a recording runs at least one iteration, as far as sizes
// tell: a loop over the rows of an argument does unless there are none.
//
// Plain functions, while the recording is open, on its thread.
#pragma once

#include "sluice/trace/capture.h"

namespace sluice::front_internal {

// The condition of a loop before its first iteration, computed where nodes are
// recorded now; none where it is more than a few ops.
Value FirstTest(Capture& capture, const Node& loop);

// Whether a result that a loop gives beside the user's says what an iteration,
// any one, makes true.
bool TrueAfterOne(const Value& told);

}  // namespace sluice::front_internal
