// 14 x 32: 28 accumulators, two vectors of B, and A's elements broadcast inside
// the multiply-adds fill 30 of the 32 registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

__attribute__((target("avx512f"))) void Run(int64_t k, const float* a,
                                            const float* b, float* c,
                                            int64_t ldc, bool accumulate) {
  __m512 s[14][2];
#pragma GCC unroll 14
  for (auto& row : s) row[0] = row[1] = _mm512_setzero_ps();
  for (int64_t p = 0; p < k; ++p) {
    __m512 b0 = _mm512_loadu_ps(b), b1 = _mm512_loadu_ps(b + 16);
#pragma GCC unroll 14
    for (int i = 0; i < 14; ++i) {
      __m512 v = _mm512_set1_ps(a[i]);
      s[i][0] = _mm512_fmadd_ps(v, b0, s[i][0]);
      s[i][1] = _mm512_fmadd_ps(v, b1, s[i][1]);
    }
    a += 14, b += 32;
  }
#pragma GCC unroll 14
  for (auto& row : s) {
    if (accumulate) {
      row[0] = _mm512_add_ps(_mm512_loadu_ps(c), row[0]);
      row[1] = _mm512_add_ps(_mm512_loadu_ps(c + 16), row[1]);
    }
    _mm512_storeu_ps(c, row[0]);
    _mm512_storeu_ps(c + 16, row[1]);
    c += ldc;
  }
}

}  // namespace

const GemmTile kAvx512Tile = {14, 32, Run};

}  // namespace sluice

#endif  // __x86_64__
