// (x - mean) * rstd, optionally times a scale plus an offset, as (x - from) *
// scale + shift; as in kernels/cpu/affine.h.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/mul_add.h"

namespace sluice {

template <class C>
struct Affine {
  C from, scale, shift;

  static Affine Of(double mean, double rstd, double scale = 1,
                   double offset = 0) {
    // A mean that is small relative to the deviation goes into the shift; a
    // large one is subtracted first, so that no digit is lost.
    bool small = std::fabs(mean) * rstd <= 4;
    C from = small ? C(0) : C(mean);
    double by = rstd * scale;
    return {from, C(by), C((double(from) - mean) * by + offset)};
  }
  C Apply(C x) const { return MulAdd(x - from, scale, shift); }
};

// a / b of nonnegative integers: fast if they are short.
inline int64_t Quotient(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0) return uint32_t(a) / uint32_t(b);
  return a / b;
}

}  // namespace sluice
