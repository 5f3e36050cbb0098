// Elements kept or dropped at random, and draws of 0 and 1. T: a float type.
#pragma once

#include "sluice/cuda/random.cuh"

namespace sluice {

// Elements are decided in groups of 64, by word r of block k for element 16 r +
// k of a group (ops/nn/dropout.cc): one thread per block.
SL_GLOBAL(dropout, RandomArgs, given) {
  RandomArgs a = WithKey(given);
  using C = Compute<T>;
  const T* x = static_cast<const T*>(a.from);
  T* y = static_cast<T*>(a.to);
  uint8_t* mask = static_cast<uint8_t*>(a.mask);
  auto below = uint32_t(a.low);
  bool some = a.low >> 32 == 0;  // false for a rate of 1
  C scale = C(a.scale);
  int64_t blocks = (a.n + 63) / 64 * 16;
  for (int64_t b = FirstThread(); b < blocks; b += AllThreads()) {
    RandomBlock words = RandomBits(a.key, b);
    int64_t first = b / 16 * 64 + b % 16;
    for (int r = 0; r < 4; ++r) {
      int64_t i = first + 16 * r;
      if (i >= a.n) break;
      bool keep = words[r] >= below && some;
      C v = Widen(x[i]) * scale;
      y[i] = Narrow<T>(keep ? v : C(0));
      mask[i] = keep ? 1 : 0;
    }
  }
}

SL_GLOBAL(bernoulli, RandomArgs, given) {
  RandomArgs a = WithKey(given);
  using C = Compute<T>;
  const T* p = static_cast<const T*>(a.from);
  T* y = static_cast<T*>(a.to);
  int64_t blocks = (a.n + 3) / 4;
  for (int64_t b = FirstThread(); b < blocks; b += AllThreads()) {
    RandomBlock words = RandomBits(a.key, b);
    for (int k = 0; k < 4; ++k) {
      int64_t i = 4 * b + k;
      if (i >= a.n) break;
      C chance = Widen(p[i]);
      if (!(chance >= C(0) && chance <= C(1))) {
        Report(a.check, i, std::bit_cast<int64_t>(double(chance)));
      }
      // 32 bits are exact in a double, so that 1 is certain and 0 impossible.
      bool hit = double(words[k]) * 0x1p-32 < double(chance);
      y[i] = Narrow<T>(C(hit ? 1 : 0));
    }
  }
}

}  // namespace sluice
