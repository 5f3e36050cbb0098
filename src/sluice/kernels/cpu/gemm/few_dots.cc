#include "sluice/kernels/cpu/gemm/few_dots.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/mul_add.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace sluice {

#if defined(__aarch64__)

namespace {

// Rows of A at once, and streams from B: what fits the registers.
constexpr int kTile = 4, kStreams = 4;
// More rows pay for packing B. Shorter sums are no longer than their ends.
constexpr int64_t kMostRows = 8, kLeastSum = 64, kLeastColumns = 16;
// Some 10 us of multiplications.
constexpr int64_t kTaskWork = 700'000;

struct Operands {
  const float *a, *b;
  int64_t lda, stride, k;
  float* c;
  int64_t ldc;
};

// c[i][r * apart] of M rows of A and R rows of B that lie `apart` rows from
// each other: streams of their own, which the machine fetches ahead by itself.
template <int M, int R>
void Tile(const Operands& o, int64_t row, int64_t column, int64_t apart) {
  const float* a = o.a + row * o.lda;
  const float* b = o.b + column * o.stride;
  const int64_t far = apart * o.stride;
  float32x4_t s[M][R];
  for (auto& sums : s) {
    for (float32x4_t& v : sums) v = vdupq_n_f32(0);
  }
  int64_t p = 0;
  for (; p + 4 <= o.k; p += 4) {
    float32x4_t x[M];
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) x[i] = vld1q_f32(a + i * o.lda + p);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      float32x4_t y = vld1q_f32(b + r * far + p);
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i) s[i][r] = vfmaq_f32(s[i][r], x[i], y);
    }
  }
  for (int i = 0; i < M; ++i) {
    for (int r = 0; r < R; ++r) {
      float sum = vaddvq_f32(s[i][r]);
      for (int64_t q = p; q < o.k; ++q) {
        sum = MulAdd(a[i * o.lda + q], b[r * far + q], sum);
      }
      o.c[(row + i) * o.ldc + column + r * apart] = sum;
    }
  }
}

template <int R>
void Tiles(const Operands& o, int64_t m, int64_t column, int64_t apart) {
  for (int64_t i = 0; i < m; i += kTile) {
    switch (std::min<int64_t>(kTile, m - i)) {
      case 1:
        Tile<1, R>(o, i, column, apart);
        break;
      case 2:
        Tile<2, R>(o, i, column, apart);
        break;
      case 3:
        Tile<3, R>(o, i, column, apart);
        break;
      default:
        Tile<kTile, R>(o, i, column, apart);
    }
  }
}

}  // namespace

bool HasFewDots(const GemmArgs& g) {
  return g.m > 1 && g.m <= kMostRows && g.b.transposed && !g.a.transposed &&
         g.k >= kLeastSum && g.n >= kLeastColumns;
}

void FewDotsGemm(const GemmArgs& g, WorkerPool* pool) {
  const Operands o{static_cast<const float*>(g.a.data),
                   static_cast<const float*>(g.b.data),
                   g.a.stride,
                   g.b.stride,
                   g.k,
                   static_cast<float*>(g.c),
                   g.ldc};
  const int64_t threads = pool ? pool->parallelism() : 1;
  const int64_t least = std::max<int64_t>(kStreams, kTaskWork / (g.k * g.m));
  const int64_t grain =
      std::max(least, (g.n + 2 * threads - 1) / (2 * threads));
  ParallelFor(pool, g.n, grain, [&](int64_t begin, int64_t end) {
    const int64_t part = (end - begin) / kStreams;
    for (int64_t j = 0; j < part; ++j) Tiles<kStreams>(o, g.m, begin + j, part);
    for (int64_t j = begin + kStreams * part; j < end; ++j) {
      Tiles<1>(o, g.m, j, 1);
    }
    g.done(0, g.m, begin, end - begin);
  });
}

#else

bool HasFewDots(const GemmArgs&) { return false; }
void FewDotsGemm(const GemmArgs&, WorkerPool*) {}

#endif

}  // namespace sluice
