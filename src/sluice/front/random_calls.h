// How many random ops have been called since the seed was set, imperatively or
// in captured functions: the place in the stream the next one draws from.
#pragma once

#include <cstdint>

#include "sluice/session/random_state.h"

namespace sluice {

int64_t RandomCalls();
// Returns what it was.
int64_t SetRandomCalls(int64_t calls);
// The place of a call that draws now; the next one has another.
RandomState NextRandomCall();
// The same for a function that draws so often.
RandomState TakeRandomCalls(int64_t count);

}  // namespace sluice
