// 8 x 12: 24 accumulators, three vectors of B and two of A fill 29 of the 32
// registers, and the four multiply-add pipes get 24 instructions for five
// loads.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

// 4 * kHalves rows by 4 * kVectors columns of the tile.
template <int kHalves, int kVectors>
void Run(int64_t k, const float* a, const float* b, float* c, int64_t ldc,
         bool accumulate) {
  float32x4_t s[4 * kHalves][kVectors];
#pragma GCC unroll 8
  for (auto& row : s) {
    for (float32x4_t& v : row) v = vdupq_n_f32(0);
  }
  for (int64_t p = 0; p < k; ++p) {
    float32x4_t x[kHalves];
#pragma GCC unroll 2
    for (int h = 0; h < kHalves; ++h) x[h] = vld1q_f32(a + 4 * h);
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) {
      float32x4_t v = vld1q_f32(b + 4 * j);
#pragma GCC unroll 2
      for (int h = 0; h < kHalves; ++h) {
        auto* rows = s + 4 * h;
        rows[0][j] = vfmaq_laneq_f32(rows[0][j], v, x[h], 0);
        rows[1][j] = vfmaq_laneq_f32(rows[1][j], v, x[h], 1);
        rows[2][j] = vfmaq_laneq_f32(rows[2][j], v, x[h], 2);
        rows[3][j] = vfmaq_laneq_f32(rows[3][j], v, x[h], 3);
      }
    }
    a += 8, b += 12;
  }
#pragma GCC unroll 8
  for (auto& row : s) {
    if (accumulate) {
      for (int j = 0; j < kVectors; ++j) {
        row[j] = vaddq_f32(vld1q_f32(c + 4 * j), row[j]);
      }
    }
    for (int j = 0; j < kVectors; ++j) vst1q_f32(c + 4 * j, row[j]);
    c += ldc;
  }
}

void RunPart(int64_t k, const float* a, const float* b, float* whole, int rows,
             int columns) {
  constexpr decltype(&Run<2, 3>) kParts[2][3] = {
      {Run<1, 1>, Run<1, 2>, Run<1, 3>}, {Run<2, 1>, Run<2, 2>, Run<2, 3>}};
  kParts[rows > 4][(columns - 1) / 4](k, a, b, whole, 12, false);
}

}  // namespace

const GemmTile kNeonTile = {8, 12, Run<2, 3>, RunPart};

}  // namespace sluice

#endif  // __aarch64__
