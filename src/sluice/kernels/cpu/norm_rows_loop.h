// The loop of LayerNorm and RmsNorm over contiguous rows. While one row is
// summed, which is limited by memory, an earlier one is written, which is
// limited by arithmetic and is still in the first-level cache. Runs on the
// caller's thread; y may be x.
#pragma once

#include <algorithm>
#include <cmath>

#include "sluice/kernels/cpu/affine.h"
#include "sluice/kernels/cpu/moments.h"

namespace sluice {

// REQUIRES: n > 0. mean and offset are null unless kCenter.
template <class T, bool kCenter>
struct NormRows {
  using C = Compute<T>;
  // Rows between the one being summed and the one being written. Their square
  // roots are computed together: after each row, its own would stall the core
  // for a hundred cycles.
  static constexpr int64_t kGroup = 8;
  static constexpr int64_t kGroupElements = 2048;

  // (x - from) rstd scale + offset, with rstd and the rest of the mean in
  // registers: if they were in memory, a store could change them.
  template <bool kFrom>
  struct Writer {
    using L = Lanes<C>;
    const T *x, *scale, *offset;
    T* y;
    L from, by, shift;

    SL_INLINE void operator()(int64_t i, int64_t some) const {
      L v = moments::Take<C>(x + i, some, C(0));
      L s = moments::Take<C>(scale + i, some, C(0));
      if constexpr (kFrom) v = v - from;
      v = v * s;
      if constexpr (kCenter) {
        L o = moments::Take<C>(offset + i, some, C(0));
        v = MulAdd(v, by, MulAdd(s, shift, o));
      } else {
        v = v * by;
      }
      if (some == L::kCount) {
        v.Store(y + i);
      } else {
        v.StoreSome(y + i, some);
      }
    }
    SL_INLINE void Row(int64_t n) const {
      int64_t i = 0;
      for (; i + L::kCount <= n; i += L::kCount) (*this)(i, L::kCount);
      if (i < n) (*this)(i, n - i);
    }
  };

  template <bool kFrom>
  static SL_INLINE Writer<kFrom> Write(const T* x, const T* scale,
                                       const T* offset, const Affine<C>& a,
                                       T* y) {
    using L = Lanes<C>;
    return {x, scale, offset, y, L::Of(a.from), L::Of(a.scale), L::Of(a.shift)};
  }

  static SL_INLINE void WriteRow(const T* x, const T* scale, const T* offset,
                                 const Affine<C>& a, T* y, int64_t n) {
    if (a.from == 0) {
      Write<false>(x, scale, offset, a, y).Row(n);
    } else {
      Write<true>(x, scale, offset, a, y).Row(n);
    }
  }

  template <class Along = moments::Nothing>
  static SL_INLINE void SumBlock(const T* x, int64_t n, C (&sum)[2],
                                 Along along = {}) {
    if constexpr (kCenter) {
      moments::SumsOfBlock(x, n, sum, along);
    } else {
      sum[1] = moments::SquaresOfBlock(x, n, along);
    }
  }
  static SL_INLINE Moments OfSums(const T* x, int64_t n, const C (&sum)[2]) {
    if constexpr (kCenter) return moments::FromSums(x, n, sum);
    return {static_cast<double>(n), 0, static_cast<double>(sum[1])};
  }
  static SL_INLINE Moments OfRow(const T* x, int64_t n) {
    if constexpr (kCenter) return moments::OfRow(x, n);
    return {static_cast<double>(n), 0, moments::SquaresOfRow(x, n)};
  }
  static SL_INLINE Affine<C> Finish(const Moments& m, double epsilon, C* mean,
                                    C* rstd) {
    double by = 1 / std::sqrt(m.variance() + epsilon);
    if constexpr (kCenter) *mean = static_cast<C>(m.mean);
    *rstd = static_cast<C>(by);
    return Affine<C>::Of(m.mean, by);
  }

  static SL_INLINE void Run(const T* x, const T* scale, const T* offset,
                            int64_t rows, int64_t n, double epsilon, T* y,
                            C* mean, C* rstd) {
    Affine<C> affine[kGroup];
    if (n > moments::kBlock) {
      for (int64_t r = 0; r < rows; ++r) {
        affine[0] = Finish(OfRow(x + r * n, n), epsilon,
                           kCenter ? mean + r : nullptr, rstd + r);
        WriteRow(x + r * n, scale, offset, affine[0], y + r * n, n);
      }
      return;
    }
    const int64_t group = std::clamp<int64_t>(kGroupElements / n, 1, kGroup);
    C sum[kGroup][2];
    // Rows from `first` on are summed, and earlier ones are written.
    for (int64_t first = 0; first < rows + group; first += group) {
      for (int64_t k = 0; k < group; ++k) {
        const int64_t r = first + k, w = r - group;
        const bool writes = w >= 0 && w < rows;
        const T *row = x + r * n, *from = x + w * n;
        T* to = y + w * n;
        if (r >= rows) {
          if (writes) WriteRow(from, scale, offset, affine[k], to, n);
        } else if (!writes) {
          SumBlock(row, n, sum[k]);
        } else if (affine[k].from == 0) {
          SumBlock(row, n, sum[k],
                   Write<false>(from, scale, offset, affine[k], to));
        } else {
          SumBlock(row, n, sum[k],
                   Write<true>(from, scale, offset, affine[k], to));
        }
      }
      for (int64_t k = 0; k < group && first + k < rows; ++k) {
        const int64_t r = first + k;
        affine[k] = Finish(OfSums(x + r * n, n, sum[k]), epsilon,
                           kCenter ? mean + r : nullptr, rstd + r);
      }
    }
  }
};

}  // namespace sluice
