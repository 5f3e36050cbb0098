// Whether a loop of a recording runs at least one iteration, as far as sizes
// tell: a loop over the rows of an argument does unless there are no rows.
//
// Plain functions, while the recording is open, on its thread.
#pragma once

#include "sluice/trace/capture.h"

namespace sluice::front_internal {

// The condition of a loop before its first iteration, computed by nodes added
// at the current place of the recording. None if that takes more than a few
// ops.
Value FirstTest(Capture& capture, const Node& loop);

// Whether an extra result of a loop becomes true after any one iteration.
bool TrueAfterOne(const Value& told);

}  // namespace sluice::front_internal
