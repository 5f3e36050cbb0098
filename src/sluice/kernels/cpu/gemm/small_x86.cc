#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "sluice/base/cpu_features.h"
#include "sluice/kernels/cpu/gemm/small.h"

#define SL_TARGET __attribute__((target("avx2,fma")))

namespace sluice {

namespace {

// Longest sum of one pass, and how much of B the first cache is trusted with.
constexpr int64_t kMaxDepth = 256;
constexpr int64_t kMaxOfB = 4 << 10;

struct Operands {
  int64_t k;
  const float* a;
  int64_t lda;
  const float* b;
  int64_t ldb;
  float* c;
  int64_t ldc;
};

// R rows by V vectors of C; of the last vector only the lanes in `mask`.
template <int R, int V>
SL_TARGET void Tile(const Operands& o, int64_t row, int64_t column,
                    __m256i mask) {
  __m256 s[R][V];
#pragma GCC unroll 6
  for (auto& r : s) {
#pragma GCC unroll 2
    for (__m256& v : r) v = _mm256_setzero_ps();
  }
  const float* a = o.a + row * o.lda;
  const float* b = o.b + column;
  for (int64_t p = 0; p < o.k; ++p, b += o.ldb) {
    __m256 x[V];
    if constexpr (V == 2) x[0] = _mm256_loadu_ps(b);
    x[V - 1] = _mm256_maskload_ps(b + 8 * (V - 1), mask);
#pragma GCC unroll 6
    for (int i = 0; i < R; ++i) {
      __m256 y = _mm256_broadcast_ss(a + i * o.lda + p);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) s[i][v] = _mm256_fmadd_ps(y, x[v], s[i][v]);
    }
  }
  float* c = o.c + row * o.ldc + column;
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i) {
    if constexpr (V == 2) _mm256_storeu_ps(c + i * o.ldc, s[i][0]);
    _mm256_maskstore_ps(c + i * o.ldc + 8 * (V - 1), mask, s[i][V - 1]);
  }
}

using TileFn = void (*)(const Operands&, int64_t, int64_t, __m256i);
constexpr TileFn kTiles[2][6] = {
    {Tile<1, 1>, Tile<2, 1>, Tile<3, 1>, Tile<4, 1>, Tile<5, 1>, Tile<6, 1>},
    {Tile<1, 2>, Tile<2, 2>, Tile<3, 2>, Tile<4, 2>, Tile<5, 2>, Tile<6, 2>}};

SL_TARGET void Run(const Operands& o, int64_t m, int64_t n) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (int64_t j = 0; j < n; j += 16) {
    const int vectors = n - j > 8 ? 2 : 1;
    const int64_t left = std::min<int64_t>(8, n - j - 8 * (vectors - 1));
    const __m256i mask =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(left)), lanes);
    const TileFn* tiles = kTiles[vectors - 1];
    int64_t i = 0;
    for (; i + 6 <= m; i += 6) tiles[5](o, i, j, mask);
    if (i < m) tiles[m - i - 1](o, i, j, mask);
  }
}

}  // namespace

bool IsSmallGemm(const GemmArgs& g) {
  return Cpu().level >= CpuLevel::kAvx2 && !g.a.transposed && !g.b.transposed &&
         g.k <= kMaxDepth && g.b.stride <= kMaxOfB / g.k;
}

void SmallGemm(const GemmArgs& g, int64_t begin, int64_t end) {
  Operands o{
      g.k,        static_cast<const float*>(g.a.data) + begin * g.a.stride,
      g.a.stride, static_cast<const float*>(g.b.data),
      g.b.stride, static_cast<float*>(g.c) + begin * g.ldc,
      g.ldc};
  Run(o, end - begin, g.n);
}

}  // namespace sluice

#endif  // __x86_64__
