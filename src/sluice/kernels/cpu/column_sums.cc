#include "sluice/kernels/cpu/column_sums.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"

namespace sluice {

namespace {

constexpr int64_t kStrip = 64;
// Rows summed in the element's own type before they join the total.
constexpr int64_t kRows = 256;

template <class T>
struct MomentsOfStrip {
  using C = Compute<T>;
  // n <= kStrip columns of `rows` rows.
  static SL_INLINE void Run(const T* x, int64_t rows, int64_t stride, int64_t n,
                            Moments* out) {
    for (int64_t k = 0; k < n; ++k) out[k] = Moments();
    for (int64_t r = 0; r < rows; r += kRows) {
      Block(x + r * stride, std::min(kRows, rows - r), stride, n, out);
    }
  }
  static SL_INLINE void Block(const T* x, int64_t rows, int64_t stride,
                              int64_t n, Moments* out) {
    C from[kStrip] = {}, sum[kStrip], squares[kStrip];
    auto count = static_cast<double>(rows);
    for (bool again : {false, true}) {
      for (int64_t k = 0; k < n; ++k) sum[k] = squares[k] = 0;
      for (int64_t r = 0; r < rows; ++r) {
        const T* row = x + r * stride;
        SL_VECTORIZE
        for (int64_t k = 0; k < n; ++k) {
          C d = static_cast<C>(row[k]) - from[k];
          sum[k] += d;
          squares[k] = MulAdd(d, d, squares[k]);
        }
      }
      // A mean far from 0 costs digits: then take it off first.
      bool lost = false;
      for (int64_t k = 0; k < n && !again; ++k) {
        double mean = static_cast<double>(sum[k]) / count;
        double square = static_cast<double>(squares[k]) / count;
        lost = lost || !(mean * mean <= 4 * (square - mean * mean));
      }
      if (!lost) break;
      for (int64_t k = 0; k < n; ++k) {
        from[k] = static_cast<C>(static_cast<double>(sum[k]) / count);
      }
    }
    for (int64_t k = 0; k < n; ++k) {
      double off = static_cast<double>(sum[k]) / count;
      double square = static_cast<double>(squares[k]) - off * off * count;
      out[k].Join(
          {count, static_cast<double>(from[k]) + off, square < 0 ? 0 : square});
    }
  }
};

template <class T>
struct GradSumsOfStrip {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* dy, const T* x, int64_t rows,
                            int64_t stride, int64_t n, const Affine<C>* hat,
                            double* out) {
    C from[kStrip], scale[kStrip], shift[kStrip];
    for (int64_t k = 0; k < n; ++k) {
      from[k] = hat[k].from;
      scale[k] = hat[k].scale;
      shift[k] = hat[k].shift;
      out[2 * k] = out[2 * k + 1] = 0;
    }
    for (int64_t first = 0; first < rows; first += kRows) {
      C sum[kStrip] = {}, product[kStrip] = {};
      int64_t last = std::min(rows, first + kRows);
      for (int64_t r = first * stride; r < last * stride; r += stride) {
        SL_VECTORIZE
        for (int64_t k = 0; k < n; ++k) {
          C g = static_cast<C>(dy[r + k]);
          C h = MulAdd(static_cast<C>(x[r + k]) - from[k], scale[k], shift[k]);
          sum[k] += g;
          product[k] = MulAdd(g, h, product[k]);
        }
      }
      for (int64_t k = 0; k < n; ++k) {
        out[2 * k] += static_cast<double>(sum[k]);
        out[2 * k + 1] += static_cast<double>(product[k]);
      }
    }
  }
};

template <class F>
void ForStrips(WorkerPool* pool, int64_t rows, int64_t width, F f) {
  int64_t strips = (width + kStrip - 1) / kStrip;
  int64_t work = rows * std::min(width, kStrip);
  ParallelFor(pool, strips, std::max<int64_t>(1, (1 << 14) / work),
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  f(t * kStrip, std::min(kStrip, width - t * kStrip));
                }
              });
}

}  // namespace

template <class T>
void ColumnMoments(WorkerPool* pool, const T* x, int64_t rows, int64_t width,
                   Moments* out) {
  ForStrips(pool, rows, width, [&](int64_t at, int64_t n) {
    isa::Call<MomentsOfStrip<T>>(x + at, rows, width, n, out + at);
  });
}

template <class T>
void ColumnGradSums(WorkerPool* pool, const T* dy, const T* x, int64_t rows,
                    int64_t width, const Affine<Compute<T>>* hat, double* out) {
  ForStrips(pool, rows, width, [&](int64_t at, int64_t n) {
    isa::Call<GradSumsOfStrip<T>>(dy + at, x + at, rows, width, n, hat + at,
                                  out + 2 * at);
  });
}

#define SL_COLUMN_SUMS(T)                                                   \
  template void ColumnMoments<T>(WorkerPool*, const T*, int64_t, int64_t,   \
                                 Moments*);                                 \
  template void ColumnGradSums<T>(WorkerPool*, const T*, const T*, int64_t, \
                                  int64_t, const Affine<Compute<T>>*,       \
                                  double*);
SL_COLUMN_SUMS(float)
SL_COLUMN_SUMS(double)
SL_COLUMN_SUMS(f16)
SL_COLUMN_SUMS(bf16)
#undef SL_COLUMN_SUMS

}  // namespace sluice
