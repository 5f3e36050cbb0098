// A random order of 0 .. n - 1, every order as likely as every other, from a
// keyed stream of random numbers.
#pragma once

#include <cstdint>

#include "sluice/base/random.h"

namespace sluice {

void FillPermutation(const RandomKey& key, int64_t n, int64_t* to);

}  // namespace sluice
