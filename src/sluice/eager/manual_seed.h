// The random numbers of imperative calls and of captured functions.
//
//   sl::RandomState place = sl::random_state();   // goes into a checkpoint
//   sl::set_random_state(place);                  // draws go on from there
//
// Of the whole process; thread safe.
#pragma once

#include <cstdint>

#include "sluice/session/random_state.h"

namespace sluice {

// The n-th random op, or captured function that has some, called after this
// draws what it always draws.
void manual_seed(uint64_t seed);

RandomState random_state();
void set_random_state(const RandomState& state);

}  // namespace sluice
