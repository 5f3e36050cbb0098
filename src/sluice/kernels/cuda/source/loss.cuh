// Losses: a formula of prediction and target for every element, then no
// reduction, the mean or the sum. T: the elements' type; F: the formula, from
// the op's file.
#pragma once

#include "sluice/cuda/reduce_core.cuh"

namespace sluice {

struct LossArgs {
  ReduceShape s;
  const T *x, *target;
  T* loss;
  double number;  // the third argument of the formula
  double over;    // the divisor of the sum
};

struct LossSum {
  using Acc = double;
  static Acc Start() { return 0; }
  static Acc Step(const LossArgs& a, Acc acc, int64_t at, int64_t, int64_t) {
    using C = Compute<T>;
    return acc +
           double(F::Apply(Widen(a.x[at]), Widen(a.target[at]), C(a.number)));
  }
  static Acc Join(Acc a, Acc b) { return a + b; }
  static void Finish(const LossArgs& a, Acc acc, int64_t output) {
    a.loss[output] = Narrow<T>(Compute<T>(acc / a.over));
  }
};

SL_REDUCE_KERNEL(LossSum, LossArgs)

}  // namespace sluice
