// Random integers from `range` values starting at `low`. T: their type.
#pragma once

#include "sluice/cuda/random.cuh"

namespace sluice {

SL_GLOBAL(random_int, RandomArgs, given) {
  RandomArgs a = WithKey(given);
  T* to = static_cast<T*>(a.to);
  auto bound = uint32_t(a.range);
  int64_t blocks = (a.n + 3) / 4;
  for (int64_t b = FirstThread(); b < blocks; b += AllThreads()) {
    RandomBlock words = RandomBits(a.key, b);
    for (int k = 0; k < 4; ++k) {
      int64_t i = 4 * b + k;
      if (i < a.n) to[i] = T(a.low + BelowFrom32(words[k], bound, a.key, i));
    }
  }
}

}  // namespace sluice
