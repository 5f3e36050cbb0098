#include "sluice/kernels/cpu/gemm/few_rows.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/gemm/neon_load.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/tensor/half.h"

namespace sluice {

namespace {

// The sums of a task stay in the first-level cache while rows of B stream past.
constexpr int64_t kMaxSums = 8192;
constexpr int64_t kMaxColumns = kMaxSums;
// k of B that pass at a time: C is loaded and stored once for all of them.
constexpr int kStep = 8;

// c[i][j] += sum of a[i][p] * b[p][j], in increasing p, for M rows.
template <int M, class T, class C>
struct Loop {
  static SL_INLINE void Run(const T* const* b, const C (*coefficients)[kStep],
                            C* c, int64_t ldc, int64_t columns) {
    const T *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    const T *b4 = b[4], *b5 = b[5], *b6 = b[6], *b7 = b[7];
    for (int i = 0; i < M; ++i) {
      const C* a = coefficients[i];
      const C a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5],
              a6 = a[6], a7 = a[7];
      C* row = c + i * ldc;
      SL_VECTORIZE
      for (int64_t j = 0; j < columns; ++j) {
        C sum = row[j];
        sum = MulAdd(a0, static_cast<C>(b0[j]), sum);
        sum = MulAdd(a1, static_cast<C>(b1[j]), sum);
        sum = MulAdd(a2, static_cast<C>(b2[j]), sum);
        sum = MulAdd(a3, static_cast<C>(b3[j]), sum);
        sum = MulAdd(a4, static_cast<C>(b4[j]), sum);
        sum = MulAdd(a5, static_cast<C>(b5[j]), sum);
        sum = MulAdd(a6, static_cast<C>(b6[j]), sum);
        sum = MulAdd(a7, static_cast<C>(b7[j]), sum);
        row[j] = sum;
      }
    }
  }
};

#if defined(__aarch64__)
// V vectors of M rows of C at once, so that an element of B is loaded once for
// all rows and the multiply-adds of one element wait for each other unnoticed.
template <int M, int V, class T>
SL_INLINE void NeonColumns(const float32x4_t (&a)[M][2],
                           const T* const (&b)[kStep], float* c, int64_t ldc) {
  float32x4_t s[M][V];
#pragma GCC unroll 4
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) s[i][v] = vld1q_f32(c + i * ldc + 4 * v);
  }
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    auto multiply = [&](const T* row, auto lane) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        float32x4_t x = gemm::Load4(row + 4 * v);
#pragma GCC unroll 4
        for (int i = 0; i < M; ++i) {
          s[i][v] = vfmaq_laneq_f32(s[i][v], x, a[i][h], decltype(lane)::value);
        }
      }
    };
    multiply(b[4 * h], std::integral_constant<int, 0>());
    multiply(b[4 * h + 1], std::integral_constant<int, 1>());
    multiply(b[4 * h + 2], std::integral_constant<int, 2>());
    multiply(b[4 * h + 3], std::integral_constant<int, 3>());
  }
#pragma GCC unroll 4
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) vst1q_f32(c + i * ldc + 4 * v, s[i][v]);
  }
}

// f32, f16 and bf16, all summed in float.
template <int M, class T>
struct Loop<M, T, float> {
  static void Run(const T* const* rows, const float (*coefficients)[kStep],
                  float* c, int64_t ldc, int64_t columns) {
    float32x4_t a[M][2];
    for (int i = 0; i < M; ++i) {
      a[i][0] = vld1q_f32(coefficients[i]);
      a[i][1] = vld1q_f32(coefficients[i] + 4);
    }
    const T* b[kStep];
    std::copy_n(rows, kStep, b);
    auto advance = [&](int n) {
      for (const T*& p : b) p += n;
      c += n;
    };
    int64_t j = 0;
    for (; j + 16 <= columns; j += 16) {
      NeonColumns<M, 4, T>(a, b, c, ldc);
      advance(16);
    }
    for (; j + 4 <= columns; j += 4) {
      NeonColumns<M, 1, T>(a, b, c, ldc);
      advance(4);
    }
    for (; j < columns; ++j) {
      for (int i = 0; i < M; ++i) {
        float sum = c[i * ldc];
        for (int p = 0; p < kStep; ++p) {
          sum = MulAdd(coefficients[i][p], static_cast<float>(*b[p]), sum);
        }
        c[i * ldc] = sum;
      }
      advance(1);
    }
  }
};
#endif

template <class T, class C>
using LoopFn = void (*)(const T* const*, const C (*)[kStep], C*, int64_t,
                        int64_t);

constexpr int kLoopRows = 4;

template <int M, class T, class C>
LoopFn<T, C> PickLoop() {
  return isa::Pick<Loop<M, T, C>, const T* const*, const C(*)[kStep], C*,
                   int64_t, int64_t>();
}

}  // namespace

template <class T, class C>
void FewRowsGemm(const GemmArgs& g, WorkerPool* pool) {
  static const T zeros[kMaxColumns] = {};
  static const LoopFn<T, C> loops[kLoopRows] = {
      PickLoop<1, T, C>(), PickLoop<2, T, C>(), PickLoop<3, T, C>(),
      PickLoop<4, T, C>()};
  const T* a = static_cast<const T*>(g.a.data);
  const T* b = static_cast<const T*>(g.b.data);
  const int64_t row = g.a.transposed ? 1 : g.a.stride;
  const int64_t step = g.a.transposed ? g.a.stride : 1;
  // Tasks of whole cache lines, of about 10 us or more.
  const int64_t threads = pool ? pool->parallelism() : 1;
  const int64_t room = kMaxSums / g.m;
  int64_t width = (g.n + threads - 1) / threads;
  width = std::max(width, (1 << 17) / (g.k * g.m));
  width = std::clamp<int64_t>((width + 63) / 64 * 64, 64, room / 64 * 64);
  auto task = [&](int64_t j, int64_t columns) {
    alignas(64) C sums[kMaxSums];
    std::fill_n(sums, g.m * width, C(0));
    for (int64_t p = 0; p < g.k; p += kStep) {
      const T* rows[kStep];
      C coefficients[kFewRows][kStep];
      for (int q = 0; q < kStep; ++q) {
        const bool there = p + q < g.k;
        rows[q] = there ? b + (p + q) * g.b.stride + j : zeros;
        const T* column = a + (p + q) * step;
        for (int64_t i = 0; i < g.m; ++i) {
          coefficients[i][q] = there ? static_cast<C>(column[i * row]) : C(0);
        }
      }
      for (int64_t i = 0; i < g.m; i += kLoopRows) {
        loops[std::min<int64_t>(kLoopRows, g.m - i) - 1](
            rows, coefficients + i, sums + i * width, width, columns);
      }
    }
    for (int64_t i = 0; i < g.m; ++i) {
      T* out = static_cast<T*>(g.c) + i * g.ldc + j;
      for (int64_t q = 0; q < columns; ++q) {
        out[q] = static_cast<T>(sums[i * width + q]);
      }
    }
    g.done(0, g.m, j, columns);
  };
  ParallelFor(pool, (g.n + width - 1) / width, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  task(t * width, std::min(width, g.n - t * width));
                }
              });
}

#define SL_FEW_ROWS(T, C) \
  template void FewRowsGemm<T, C>(const GemmArgs&, WorkerPool*);
SL_FEW_ROWS(float, float)
SL_FEW_ROWS(double, double)
SL_FEW_ROWS(f16, float)
SL_FEW_ROWS(bf16, float)
SL_FEW_ROWS(uint32_t, uint32_t)
SL_FEW_ROWS(uint64_t, uint64_t)
#undef SL_FEW_ROWS

}  // namespace sluice
