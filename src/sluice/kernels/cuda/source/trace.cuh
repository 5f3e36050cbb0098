// The sums of diagonals. T: the elements' type.
#pragma once

#include "sluice/cuda/reduce_core.cuh"
#include "sluice/cuda/reducers.cuh"

namespace sluice {

struct TraceArgs {
  ReduceShape s;  // over diagonals as if they were contiguous
  const T* x;
  T* y;
  // Elements of a matrix; between consecutive elements of a diagonal.
  int64_t matrix, step;
  int64_t n;  // of a diagonal
};

struct DiagonalSum {
  using Sum = reducers::SumOf<Compute<T>>;
  using Acc = typename Sum::Acc;
  static Acc Start() { return Sum::Start(); }
  static Acc Step(const TraceArgs& a, Acc acc, int64_t at, int64_t, int64_t) {
    int64_t which = at / a.n;
    int64_t place = which * a.matrix + (at - which * a.n) * a.step;
    return Sum::Step(acc, Widen(a.x[place]));
  }
  static Acc Join(Acc a, Acc b) { return Sum::Join(a, b); }
  static void Finish(const TraceArgs& a, Acc acc, int64_t output) {
    a.y[output] = Narrow<T>(acc);
  }
};

SL_REDUCE_KERNEL(DiagonalSum, TraceArgs)

}  // namespace sluice
