// The cosine similarity along an axis. T: the elements' type.
#pragma once

#include "sluice/cuda/reduce_core.cuh"
#include "sluice/kernels/cpu/mul_add.h"

namespace sluice {

struct CosineArgs {
  ReduceShape s;
  const T *a, *b;
  T* y;
  double epsilon;
};

struct Cosine {
  struct Acc {
    double ab, aa, bb;
  };
  static Acc Start() { return {0, 0, 0}; }
  static Acc Step(const CosineArgs& c, Acc acc, int64_t at, int64_t, int64_t) {
    double a = double(Widen(c.a[at])), b = double(Widen(c.b[at]));
    return {MulAdd(a, b, acc.ab), MulAdd(a, a, acc.aa), MulAdd(b, b, acc.bb)};
  }
  static Acc Join(Acc p, Acc q) {
    return {p.ab + q.ab, p.aa + q.aa, p.bb + q.bb};
  }
  static void Finish(const CosineArgs& c, Acc acc, int64_t output) {
    double size = std::max(std::sqrt(acc.aa), c.epsilon) *
                  std::max(std::sqrt(acc.bb), c.epsilon);
    c.y[output] = Narrow<T>(Compute<T>(acc.ab / size));
  }
};

SL_REDUCE_KERNEL(Cosine, CosineArgs)

}  // namespace sluice
