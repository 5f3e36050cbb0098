// 6 x 16: twelve accumulators, two vectors of B and one broadcast element of A
// fill 15 of the 16 registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

__attribute__((target("avx2,fma"))) void Run(int64_t k, const float* a,
                                             const float* b, float* c,
                                             int64_t ldc, bool accumulate) {
  __m256 s[6][2];
#pragma GCC unroll 6
  for (auto& row : s) row[0] = row[1] = _mm256_setzero_ps();
  for (int64_t p = 0; p < k; ++p) {
    __m256 b0 = _mm256_loadu_ps(b), b1 = _mm256_loadu_ps(b + 8);
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      __m256 v = _mm256_broadcast_ss(a + i);
      s[i][0] = _mm256_fmadd_ps(v, b0, s[i][0]);
      s[i][1] = _mm256_fmadd_ps(v, b1, s[i][1]);
    }
    a += 6, b += 16;
  }
#pragma GCC unroll 6
  for (auto& row : s) {
    if (accumulate) {
      row[0] = _mm256_add_ps(_mm256_loadu_ps(c), row[0]);
      row[1] = _mm256_add_ps(_mm256_loadu_ps(c + 8), row[1]);
    }
    _mm256_storeu_ps(c, row[0]);
    _mm256_storeu_ps(c + 8, row[1]);
    c += ldc;
  }
}

}  // namespace

const GemmTile kAvx2Tile = {6, 16, Run};

}  // namespace sluice

#endif  // __x86_64__
