// 6 x 16: twelve accumulators, two vectors of B and one broadcast element of A
// fill 15 of the 16 registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

// 6 rows by 8 * kVectors columns of the tile.
template <int kVectors>
__attribute__((target("avx2,fma"))) void Run(int64_t k, const float* a,
                                             const float* b, float* c,
                                             int64_t ldc, bool accumulate) {
  __m256 s[6][kVectors];
#pragma GCC unroll 6
  for (auto& row : s) {
#pragma GCC unroll 2
    for (__m256& v : row) v = _mm256_setzero_ps();
  }
  for (int64_t p = 0; p < k; ++p) {
    __m256 x[kVectors];
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) x[j] = _mm256_loadu_ps(b + 8 * j);
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      __m256 v = _mm256_broadcast_ss(a + i);
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        s[i][j] = _mm256_fmadd_ps(v, x[j], s[i][j]);
      }
    }
    a += 6, b += 16;
  }
#pragma GCC unroll 6
  for (auto& row : s) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      if (accumulate)
        row[j] = _mm256_add_ps(_mm256_loadu_ps(c + 8 * j), row[j]);
      _mm256_storeu_ps(c + 8 * j, row[j]);
    }
    c += ldc;
  }
}

void RunPart(int64_t k, const float* a, const float* b, float* whole, int,
             int columns) {
  (columns > 8 ? Run<2> : Run<1>)(k, a, b, whole, 16, false);
}

}  // namespace

const GemmTile kAvx2Tile = {6, 16, Run<2>, RunPart};

}  // namespace sluice

#endif  // __x86_64__
