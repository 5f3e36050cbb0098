// The loops of softmax, its logarithm and their gradients over one slice:
// contiguous, or as adjacent columns. Made for along_axis.h, and for rows of
// other lengths; `a` may be y. Slices must not be empty. Stateless.
#pragma once

#include <algorithm>

#include "sluice/kernels/cpu/along_axis.h"
#include "sluice/kernels/cpu/exp_row.h"
#include "sluice/kernels/cpu/vector_math.h"

namespace sluice::softmax {

inline constexpr int kLanes = 16;
// Rows up to this length are processed kLanes at a time, transposed to columns:
// folding lanes would cost more than the row.
inline constexpr int64_t kShortRow = 32;

template <class T, bool kLog>
struct Columns {
  static SL_INLINE void Run(const T* x, const T*, int64_t size, int64_t stride,
                            int64_t n, T* y) {
    using C = Compute<T>;
    constexpr bool kKeep = !kLog && sizeof(T) == sizeof(C);
    C max[kStripColumns], sum[kStripColumns];
    for (int64_t k = 0; k < n; ++k) {
      max[k] = static_cast<C>(x[k]);
      sum[k] = 0;
    }
    for (int64_t i = 1; i < size; ++i) {
      SL_VECTORIZE
      for (int64_t k = 0; k < n; ++k) {
        C v = static_cast<C>(x[i * stride + k]);
        max[k] = v > max[k] ? v : max[k];
      }
    }
    for (int64_t i = 0; i < size; ++i) {
      rows::ExpSumStep<kKeep>(x + i * stride, max, n, y + i * stride, sum);
    }
    for (int64_t k = 0; k < n; ++k) {
      sum[k] = kLog ? vmath::Log(sum[k]) : 1 / sum[k];
    }
    for (int64_t i = 0; i < size; ++i) {
      const T* from = x + i * stride;
      T* to = y + i * stride;
      SL_VECTORIZE
      for (int64_t k = 0; k < n; ++k) {
        if constexpr (kKeep) {
          to[k] *= sum[k];
        } else {
          C d = static_cast<C>(from[k]) - max[k];
          to[k] =
              static_cast<T>(kLog ? d - sum[k] : rows::ExpNegative(d) * sum[k]);
        }
      }
    }
  }
};

template <class T, bool kLog>
struct Rows {
  static SL_INLINE void One(const T* x, int64_t n, T* y) {
    using C = Compute<T>;
    constexpr bool kKeep = !kLog && sizeof(T) == sizeof(C);
    C max = rows::RowMax(x, n);
    C sum = rows::ExpSum<kKeep>(x, n, max, y);
    sum = kLog ? vmath::Log(sum) : 1 / sum;
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (kKeep) {
        y[i] *= sum;
      } else {
        C d = static_cast<C>(x[i]) - max;
        y[i] = static_cast<T>(kLog ? d - sum : rows::ExpNegative(d) * sum);
      }
    }
  }

  static SL_INLINE void Short(const T* x, int64_t count, int64_t n, T* y) {
    using C = Compute<T>;
    C turned[kShortRow * kLanes];
    for (int64_t r = 0; r < kLanes; ++r) {
      // Missing rows are copies of the last.
      const T* row = x + std::min(r, count - 1) * n;
      for (int64_t i = 0; i < n; ++i) {
        turned[i * kLanes + r] = static_cast<C>(row[i]);
      }
    }
    Columns<C, kLog>::Run(turned, nullptr, n, kLanes, kLanes, turned);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < n; ++i) {
        y[r * n + i] = static_cast<T>(turned[i * kLanes + r]);
      }
    }
  }

  static SL_INLINE void Run(const T* x, const T*, int64_t rows, int64_t n,
                            T* y) {
    if (n <= kShortRow && rows > 1) {
      for (int64_t r = 0; r < rows; r += kLanes) {
        Short(x + r * n, std::min<int64_t>(kLanes, rows - r), n, y + r * n);
      }
    } else {
      for (int64_t r = 0; r < rows; ++r) One(x + r * n, n, y + r * n);
    }
  }
};

template <class T>
using SoftmaxRows = Rows<T, false>;
template <class T>
using SoftmaxColumns = Columns<T, false>;
template <class T>
using LogSoftmaxRows = Rows<T, true>;
template <class T>
using LogSoftmaxColumns = Columns<T, true>;

// The terms summed over a slice, and the result from that sum.
struct SoftmaxGradFn {
  template <class V>
  static SL_INLINE V Term(const V& dy, const V& y, const V& sum) {
    return MulAdd(dy, y, sum);
  }
  template <class C>
  static SL_INLINE C Apply(C dy, C y, C sum) {
    return y * (dy - sum);
  }
};
struct LogSoftmaxGradFn {
  template <class V>
  static SL_INLINE V Term(const V& dy, const V&, const V& sum) {
    return dy + sum;
  }
  template <class C>
  static SL_INLINE C Apply(C dy, C y, C sum) {
    return dy - vmath::Exp(y) * sum;
  }
};

template <class T, class F>
struct GradRows {
  static SL_INLINE void Run(const T* dy, const T* y, int64_t rows, int64_t n,
                            T* dx) {
    using C = Compute<T>;
    for (int64_t r = 0; r < rows; ++r, dy += n, y += n, dx += n) {
      using L = Lanes<C>;
      L total = L::Of(0);
      int64_t i = 0;
      for (; i + L::kCount <= n; i += L::kCount) {
        total = F::Term(L::Load(dy + i), L::Load(y + i), total);
      }
      if (i < n) {
        total = F::Term(L::LoadSome(dy + i, n - i, C(0)),
                        L::LoadSome(y + i, n - i, C(0)), total);
      }
      C sum = total.Sum();
      SL_VECTORIZE
      for (i = 0; i < n; ++i) {
        dx[i] = static_cast<T>(
            F::Apply(static_cast<C>(dy[i]), static_cast<C>(y[i]), sum));
      }
    }
  }
};

template <class T, class F>
struct GradColumns {
  static SL_INLINE void Run(const T* dy, const T* y, int64_t size,
                            int64_t stride, int64_t n, T* dx) {
    using C = Compute<T>;
    C sum[kStripColumns] = {};
    for (int64_t i = 0; i < size * stride; i += stride) {
      SL_VECTORIZE
      for (int64_t k = 0; k < n; ++k) {
        sum[k] = F::Term(static_cast<C>(dy[i + k]), static_cast<C>(y[i + k]),
                         sum[k]);
      }
    }
    for (int64_t i = 0; i < size * stride; i += stride) {
      SL_VECTORIZE
      for (int64_t k = 0; k < n; ++k) {
        dx[i + k] = static_cast<T>(F::Apply(static_cast<C>(dy[i + k]),
                                            static_cast<C>(y[i + k]), sum[k]));
      }
    }
  }
};

template <class T>
using SoftmaxGradRows = GradRows<T, SoftmaxGradFn>;
template <class T>
using SoftmaxGradColumns = GradColumns<T, SoftmaxGradFn>;
template <class T>
using LogSoftmaxGradRows = GradRows<T, LogSoftmaxGradFn>;
template <class T>
using LogSoftmaxGradColumns = GradColumns<T, LogSoftmaxGradFn>;

}  // namespace sluice::softmax
