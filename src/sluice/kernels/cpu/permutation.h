// A random permutation of 0 .. n - 1, uniformly distributed, from a keyed
// stream of random numbers. Plain functions; any thread.
#pragma once

#include <cstdint>

#include "sluice/base/random.h"

namespace sluice {

void FillPermutation(const RandomKey& key, int64_t n, int64_t* to);

}  // namespace sluice
