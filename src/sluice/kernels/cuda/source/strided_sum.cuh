// Reorders axes and sums over some, as in kernels/cpu/einsum. T: the type;
// floats are summed in double, integers wrap.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

constexpr int kMaxSumAxes = 16;

struct SumArgs {
  const void* from;
  void* to;
  int64_t n, terms;
  int32_t kept, summed;  // the numbers of axes
  // Outermost first.
  int64_t size[kMaxSumAxes], step[kMaxSumAxes], to_step[kMaxSumAxes];
  int64_t sum_size[kMaxSumAxes], sum_step[kMaxSumAxes];
};

SL_GLOBAL(strided_sum, SumArgs, a) {
  using C = std::conditional_t<std::is_integral_v<T>, T, double>;
  const T* from = static_cast<const T*>(a.from);
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t rest = i, here = 0, there = 0;
    for (int axis = a.kept - 1; axis >= 0; --axis) {
      int64_t next = rest / a.size[axis], index = rest - next * a.size[axis];
      here += index * a.step[axis];
      there += index * a.to_step[axis];
      rest = next;
    }
    if (a.summed == 0) {
      to[there] = from[here];
      continue;
    }
    C sum = C(0);
    for (int64_t t = 0; t < a.terms; ++t) {
      int64_t at = here, left = t;
      for (int axis = a.summed - 1; axis >= 0; --axis) {
        int64_t next = left / a.sum_size[axis];
        at += (left - next * a.sum_size[axis]) * a.sum_step[axis];
        left = next;
      }
      sum = sum + C(Widen(from[at]));
    }
    to[there] = Narrow<T>(Compute<T>(sum));
  }
}

}  // namespace sluice
