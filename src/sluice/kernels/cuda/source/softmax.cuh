// Softmax along one axis, its logarithm and their gradients. T: the elements'
// type.
#pragma once

#include "sluice/cuda/softmax_row.cuh"

namespace sluice {

struct SoftmaxArgs {
  Slices s;
  const T *x, *y;  // for gradients: dy and y
  T* out;
};

template <bool kLog, class Team>
inline void SoftmaxSlice(const SoftmaxArgs& a, const Team& team,
                         const Slice& slice) {
  using C = Compute<T>;
  Elements<T, kHeld> x(a.x, slice, team);
  C max = MaxOfSlice(x, team);
  T* out = a.out + slice.base;
  if constexpr (kLog) {
    C log = vmath::Log(ExpSumOfSlice<false>(x, team, max));
    x.Each([&](C& v, int64_t i) {
      out[i * slice.stride] = Narrow<T>((v - max) - log);
    });
  } else {
    C by = 1 / ExpSumOfSlice<true>(x, team, max);
    x.Each([&](C& v, int64_t i) {
      C e = x.fits ? v : vmath::Exp(v - max);
      out[i * slice.stride] = Narrow<T>(e * by);
    });
  }
}

template <bool kLog, class Team>
inline void SoftmaxGradSlice(const SoftmaxArgs& a, const Team& team,
                             const Slice& slice) {
  using C = Compute<T>;
  ElementPairs<T, kHeld> pairs(a.x, a.y, slice, team);
  C sum = 0;
  pairs.Each(
      [&](C dy, C y, int64_t) { sum = kLog ? dy + sum : MulAdd(dy, y, sum); });
  sum = team.All(sum, Plus());
  T* out = a.out + slice.base;
  pairs.Each([&](C dy, C y, int64_t i) {
    C dx = kLog ? dy - vmath::Exp(y) * sum : y * (dy - sum);
    out[i * slice.stride] = Narrow<T>(dx);
  });
}

SL_SLICE_KERNEL(softmax, SoftmaxArgs, SoftmaxSlice<SL_LOG>)
SL_SLICE_KERNEL(softmax_grad, SoftmaxArgs, SoftmaxGradSlice<SL_LOG>)

}  // namespace sluice
