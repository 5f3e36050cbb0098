// The sum of many arrays, in order, rounded once. T: their type.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/scatter_formulas.h"

namespace sluice {

constexpr int kMaxAddends = 128;

struct AddNArgs {
  void* out;
  int64_t n;
  int64_t count;
  const void* in[kMaxAddends];
};

SL_GLOBAL(add_n, AddNArgs, a) {
  using C = Compute<T>;
  T* out = static_cast<T*>(a.out);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    C sum = Widen(static_cast<const T*>(a.in[0])[i]);
    for (int k = 1; k < a.count; ++k) {
      C v = Widen(static_cast<const T*>(a.in[k])[i]);
      sum = scatter_formulas::AddFn::Apply(sum, v);
    }
    out[i] = Narrow<T>(sum);
  }
}

}  // namespace sluice
