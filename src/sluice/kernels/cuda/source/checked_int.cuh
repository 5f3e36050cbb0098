// Elementwise ops of integers without a result for some operands, which are
// reported. T: the type; F: Valid and Apply, as in
// kernels/cpu/checked_binary.h. Index: int32_t if all offsets fit.
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct CheckedArgs {
  void* out;
  const void* in[2];
  // For an input that is a host number: `in` is null then.
  uint64_t number[2];
  int64_t n;
  Check* check;
  int32_t rank;
  int64_t size[kMaxWalkRank];
  int64_t stride[2][kMaxWalkRank];
};

SL_GLOBAL(checked, CheckedArgs, a) {
  const T* x = static_cast<const T*>(a.in[0]);
  const T* y = static_cast<const T*>(a.in[1]);
  const T x_number = *reinterpret_cast<const T*>(&a.number[0]);
  const T y_number = *reinterpret_cast<const T*>(&a.number[1]);
  T* out = static_cast<T*>(a.out);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    Index rest = Index(i), here = 0, there = 0;
    for (int axis = 0; axis < a.rank; ++axis) {
      Index size = Index(a.size[axis]);
      Index next = rest / size, index = rest - next * size;
      here += index * Index(a.stride[0][axis]);
      there += index * Index(a.stride[1][axis]);
      rest = next;
    }
    T u = x ? x[here] : x_number, v = y ? y[there] : y_number;
    bool valid = F::Valid(u, v);
    if (!valid) Report(a.check, i, 0);
    out[i] = valid ? F::Apply(u, v) : T(0);
  }
}

}  // namespace sluice
