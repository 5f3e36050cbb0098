// The seed of imperative random numbers.
#pragma once

#include <cstdint>

namespace sluice {

// The n-th random op called after this draws what it always draws. Of the whole
// process; thread safe.
void manual_seed(uint64_t seed);

}  // namespace sluice
