// How many random ops have been called since the seed was set, imperatively or
// in captured functions: the place in the stream from which the next one draws.
#pragma once

#include <cstdint>

#include "sluice/op/record.h"
#include "sluice/session/random_state.h"

namespace sluice {

int64_t RandomCalls();
// Returns what it was.
int64_t SetRandomCalls(int64_t calls);
// The place of a call that draws now; the next one has another.
RandomState NextRandomCall();
// The same for a function that draws so often.
RandomState TakeRandomCalls(int64_t count);

// Whether a call of the op with this many inputs still lacks the place it draws
// from, which random ops of a recorded function get as an input.
inline bool TakesPlace(const OpRecord& op, size_t num_inputs) {
  return op.random && !op.inputs.empty() && op.inputs.back().list &&
         num_inputs < op.inputs.size();
}

}  // namespace sluice
