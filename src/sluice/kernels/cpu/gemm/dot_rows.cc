#include "sluice/kernels/cpu/gemm/dot_rows.h"

#include "sluice/kernels/cpu/gemm/neon_load.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/tensor/half.h"

namespace sluice {

namespace {

constexpr int kLanes = 16;

// R rows at once. Two are enough to wait for memory instead of additions.
template <int R, class T, class C>
SL_INLINE void Rows(const T* x, const T* b, int64_t stride, int64_t k, C* y) {
  C lane[R][kLanes] = {};
  int64_t p = 0;
  for (; p + kLanes <= k; p += kLanes) {
    for (int r = 0; r < R; ++r) {
      for (int i = 0; i < kLanes; ++i) {
        lane[r][i] = MulAdd(static_cast<C>(x[p + i]),
                            static_cast<C>(b[r * stride + p + i]), lane[r][i]);
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int width = kLanes / 2; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) {
        lane[r][i] = lane[r][i] + lane[r][i + width];
      }
    }
    C sum = lane[r][0];
    for (int64_t q = p; q < k; ++q) {
      sum =
          MulAdd(static_cast<C>(x[q]), static_cast<C>(b[r * stride + q]), sum);
    }
    y[r] = sum;
  }
}

template <class T, class C>
struct Loop {
  static SL_INLINE void Run(const T* x, const T* b, int64_t stride,
                            int64_t rows, int64_t k, C* y) {
    int64_t j = 0;
    for (; j + 2 <= rows; j += 2) {
      Rows<2, T, C>(x, b + j * stride, stride, k, y + j);
    }
    if (j < rows) Rows<1, T, C>(x, b + j * stride, stride, k, y + j);
  }
};

#if defined(__aarch64__)
// The same sums in registers, R rows at once.
template <int R, class T>
SL_INLINE void NeonRows(const T* x, const T* b, int64_t stride, int64_t k,
                        float* y) {
  float32x4_t s[R][4];
  for (auto& row : s) {
    for (float32x4_t& v : row) v = vdupq_n_f32(0);
  }
  int64_t p = 0;
  for (; p + kLanes <= k; p += kLanes) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      float32x4_t v = gemm::Load4(x + p + 4 * i);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        s[r][i] =
            vfmaq_f32(s[r][i], v, gemm::Load4(b + r * stride + p + 4 * i));
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    float32x4_t t =
        vaddq_f32(vaddq_f32(s[r][0], s[r][2]), vaddq_f32(s[r][1], s[r][3]));
    float32x2_t u = vadd_f32(vget_low_f32(t), vget_high_f32(t));
    float sum = vget_lane_f32(u, 0) + vget_lane_f32(u, 1);
    for (int64_t q = p; q < k; ++q) {
      sum = MulAdd(static_cast<float>(x[q]),
                   static_cast<float>(b[r * stride + q]), sum);
    }
    y[r] = sum;
  }
}

// Four streams from memory, each one row behind another, which the hardware
// prefetches by itself. Adjacent rows would be streams that end before the
// prefetcher has detected them; explicit prefetches made that worse (weights
// that are not in a cache: 6 to 20 GB/s, against 35 of one core here).
template <class T>
struct Loop<T, float> {
  static constexpr int kStreams = 4;

  static void Run(const T* x, const T* b, int64_t stride, int64_t rows,
                  int64_t k, float* y) {
    const int64_t part = rows / kStreams;
    for (int64_t j = 0; j < part; ++j) {
      float sums[kStreams];
      NeonRows<kStreams, T>(x, b + j * stride, part * stride, k, sums);
      for (int r = 0; r < kStreams; ++r) y[j + r * part] = sums[r];
    }
    for (int64_t j = kStreams * part; j < rows; ++j) {
      NeonRows<1, T>(x, b + j * stride, stride, k, y + j);
    }
  }
};
#endif

}  // namespace

template <class T, class C>
void DotRows(const T* x, const T* b, int64_t stride, int64_t rows, int64_t k,
             C* y) {
  isa::Call<Loop<T, C>>(x, b, stride, rows, k, y);
}

#define SL_DOT_ROWS(T, C)                                                    \
  template void DotRows<T, C>(const T*, const T*, int64_t, int64_t, int64_t, \
                              C*);
SL_DOT_ROWS(float, float)
SL_DOT_ROWS(double, double)
SL_DOT_ROWS(f16, float)
SL_DOT_ROWS(bf16, float)
SL_DOT_ROWS(uint32_t, uint32_t)
SL_DOT_ROWS(uint64_t, uint64_t)
#undef SL_DOT_ROWS

}  // namespace sluice
