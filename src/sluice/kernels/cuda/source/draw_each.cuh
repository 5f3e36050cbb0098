// One random number for each element of a parameter, from a separate stream. T:
// the type; op::Draw: the formula of the op's file; kZero: whether the
// parameter may be 0.
#pragma once

#include "sluice/cuda/random.cuh"

namespace sluice {

SL_GLOBAL(draw_each, RandomArgs, given) {
  RandomArgs a = WithKey(given);
  using C = Compute<T>;
  const T* x = static_cast<const T*>(a.from);
  T* y = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    double v = double(Widen(x[i]));
    bool good = (kZero ? v >= 0 : v > 0) && std::isfinite(v);
    if (!good) {
      Report(a.check, i, std::bit_cast<int64_t>(v));
      continue;
    }
    ElementStream stream(RetryKey(a.key), i);
    uint32_t word = RandomBits(a.key, i / 4)[i % 4];
    y[i] = T(C(op::Draw(v, word, stream)));
  }
}

}  // namespace sluice
