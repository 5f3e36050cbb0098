// Folds updates into existing rows, or into initial values.
#pragma once

#include "sluice/cuda/scatter.cuh"

namespace sluice {

// The end of a row's updates, of which `at` is the first. Searches with
// doubling steps, since most rows have few updates.
inline int64_t EndOfRow(const ScatterArgs& a, int64_t at, uint32_t row) {
  int64_t step = 1;
  while (at + step < a.count && a.keys[at + step] == row) {
    at += step;
    step *= 2;
  }
  // The last is in [at, at + step).
  for (; step > 0; step /= 2) {
    if (at + step < a.count && a.keys[at + step] == row) at += step;
  }
  return at + 1;
}

template <class C>
inline C Folded(C y, int64_t count) {
  if constexpr (kMean && !std::is_same_v<C, complex64>) {
    return y / C(count);
  } else {
    return y;
  }
}

SL_GLOBAL(fold, ScatterArgs, a) {
  using C = Compute<T>;
  T* target = static_cast<T*>(a.target);
  const U* updates = static_cast<const U*>(a.updates);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    ScatterPlace p(a, i);
    uint32_t row = a.keys[p.at];
    // The thread of the first update of a row handles all of them.
    if (row >= a.rows || (p.at > 0 && a.keys[p.at - 1] == row)) continue;
    T& place = target[p.Target(a, row)];
    C y = Widen(place);
    auto take = [&](U update) {
      y = F::Apply(y, C(Widen(update)));
      if constexpr (!kWide) y = Widen(Narrow<T>(y));
    };
    int64_t at = p.at, end = EndOfRow(a, p.at, row);
    // Several loads are in flight at once, so that a row with many updates
    // rarely waits for memory.
    constexpr int kAhead = 8;
    for (; at + kAhead <= end; at += kAhead) {
      U some[kAhead];
      for (int k = 0; k < kAhead; ++k) {
        some[k] = updates[p.Update(a, a.order[at + k])];
      }
      for (int k = 0; k < kAhead; ++k) take(some[k]);
    }
    for (; at < end; ++at) take(updates[p.Update(a, a.order[at])]);
    place = Narrow<T>(Folded(y, at - p.at));
  }
}

}  // namespace sluice
