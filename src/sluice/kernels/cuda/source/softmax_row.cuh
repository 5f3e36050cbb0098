// Shared by softmax and cross entropy: the maximum of a slice, and the sum of
// exponentials of the differences to it.
#pragma once

#include "sluice/cuda/team.cuh"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/kernels/cpu/vector_math.h"

namespace sluice {

template <class T, class Team>
inline Compute<T> MaxOfSlice(Elements<T, kHeld>& x, const Team& team) {
  using C = Compute<T>;
  C max = -std::numeric_limits<C>::infinity();
  x.Each([&](C& v, int64_t) { max = v > max ? v : max; });
  return team.All(max, [](C a, C b) { return b > a ? b : a; });
}

// kKeep: replaces held elements by their exponentials.
template <bool kKeep, class T, class Team>
inline Compute<T> ExpSumOfSlice(Elements<T, kHeld>& x, const Team& team,
                                Compute<T> max) {
  using C = Compute<T>;
  C sum = 0;
  x.Each([&](C& v, int64_t) {
    C e = vmath::Exp(v - max);
    sum += e;
    if (kKeep) v = e;
  });
  return team.All(sum, Plus());
}

}  // namespace sluice
