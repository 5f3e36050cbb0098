// 14 x 32: 28 accumulators, two vectors of B, and A's elements broadcast inside
// the multiply-adds fill 30 of the 32 registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

// 14 rows by 16 * kVectors columns of the tile.
template <int kVectors>
__attribute__((target("avx512f"))) void Run(int64_t k, const float* a,
                                            const float* b, float* c,
                                            int64_t ldc, bool accumulate) {
  __m512 s[14][kVectors];
#pragma GCC unroll 14
  for (auto& row : s) {
#pragma GCC unroll 2
    for (__m512& v : row) v = _mm512_setzero_ps();
  }
  for (int64_t p = 0; p < k; ++p) {
    __m512 x[kVectors];
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) x[j] = _mm512_loadu_ps(b + 16 * j);
#pragma GCC unroll 14
    for (int i = 0; i < 14; ++i) {
      __m512 v = _mm512_set1_ps(a[i]);
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        s[i][j] = _mm512_fmadd_ps(v, x[j], s[i][j]);
      }
    }
    a += 14, b += 32;
  }
#pragma GCC unroll 14
  for (auto& row : s) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      if (accumulate) {
        row[j] = _mm512_add_ps(_mm512_loadu_ps(c + 16 * j), row[j]);
      }
      _mm512_storeu_ps(c + 16 * j, row[j]);
    }
    c += ldc;
  }
}

void RunPart(int64_t k, const float* a, const float* b, float* whole, int,
             int columns) {
  (columns > 16 ? Run<2> : Run<1>)(k, a, b, whole, 32, false);
}

}  // namespace

const GemmTile kAvx512Tile = {14, 32, Run<2>, RunPart};

}  // namespace sluice

#endif  // __x86_64__
