// Elementwise sums and differences of two arrays. T: their type; F: a struct of
// kernels/cpu/scatter_formulas.h.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/scatter_formulas.h"

namespace sluice {

struct AddArgs {
  const void *a, *b;
  void* out;
  int64_t n;
};

SL_GLOBAL(add_flat, AddArgs, args) {
  const T* a = static_cast<const T*>(args.a);
  const T* b = static_cast<const T*>(args.b);
  T* out = static_cast<T*>(args.out);
  for (int64_t i = FirstThread(); i < args.n; i += AllThreads()) {
    out[i] = Narrow<T>(F::Apply(Widen(a[i]), Widen(b[i])));
  }
}

}  // namespace sluice
