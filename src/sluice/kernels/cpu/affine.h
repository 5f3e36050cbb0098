// (x - mean) * rstd, optionally times a scale plus an offset, as one or two
// steps: (x - from) * scale + shift. A mean that is small relative to the
// deviation goes into the shift. A large mean is subtracted first, in two
// parts, so that no digit is lost.
//
// Plain values; any thread.
#pragma once

#include <cmath>

#include "sluice/kernels/cpu/lanes.h"

namespace sluice {

template <class C>
struct Affine {
  C from = 0, scale = 1, shift = 0;

  static SL_INLINE Affine Of(double mean, double rstd, double scale = 1,
                             double offset = 0) {
    bool small = std::fabs(mean) * rstd <= 4;
    C from = small ? C(0) : static_cast<C>(mean);
    double by = rstd * scale;
    return {from, static_cast<C>(by),
            static_cast<C>((static_cast<double>(from) - mean) * by + offset)};
  }
  SL_INLINE C Apply(C x) const { return MulAdd(x - from, scale, shift); }
};

// y = a(x) for n contiguous elements; y may be x.
template <class T>
struct AffineRun {
  static SL_INLINE void Run(const T* x, int64_t n, Affine<Compute<T>> a, T* y) {
    using C = Compute<T>;
    if (a.from == 0) {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<T>(MulAdd(static_cast<C>(x[i]), a.scale, a.shift));
      }
    } else {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<T>(a.Apply(static_cast<C>(x[i])));
      }
    }
  }
};

}  // namespace sluice
