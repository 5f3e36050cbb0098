// How many random ops, and captured functions that have some, have been called
// imperatively since the seed was set: the place in the stream the next one
// draws from.
#pragma once

#include <cstdint>

#include "sluice/session/random_state.h"

namespace sluice {

int64_t RandomCalls();
// Returns what it was.
int64_t SetRandomCalls(int64_t calls);
// The place of a call that draws now; the next one has another.
RandomState NextRandomCall();

}  // namespace sluice
