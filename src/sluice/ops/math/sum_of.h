// The reducer of sums, for Sum and SumTo.
#pragma once

#include "sluice/kernels/cpu/reduce.h"

namespace sluice {

template <class C>
struct SumOf {
  using Acc = C;
  static Acc Start() { return C(0); }
  static Acc Step(Acc acc, C x) { return Wrap<C>(ToWrap(acc) + ToWrap(x)); }
  static Acc Combine(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t) { return acc; }
};

}  // namespace sluice
