// 8 x 12: 24 accumulators, three vectors of B and two of A fill 29 of the 32
// registers, and the four multiply-add pipes get 24 instructions for five
// loads.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

void Run(int64_t k, const float* a, const float* b, float* c, int64_t ldc,
         bool accumulate) {
  float32x4_t s[8][3];
#pragma GCC unroll 8
  for (auto& row : s) {
    for (float32x4_t& v : row) v = vdupq_n_f32(0);
  }
  for (int64_t p = 0; p < k; ++p) {
    float32x4_t a0 = vld1q_f32(a), a1 = vld1q_f32(a + 4);
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      float32x4_t v = vld1q_f32(b + 4 * j);
      s[0][j] = vfmaq_laneq_f32(s[0][j], v, a0, 0);
      s[1][j] = vfmaq_laneq_f32(s[1][j], v, a0, 1);
      s[2][j] = vfmaq_laneq_f32(s[2][j], v, a0, 2);
      s[3][j] = vfmaq_laneq_f32(s[3][j], v, a0, 3);
      s[4][j] = vfmaq_laneq_f32(s[4][j], v, a1, 0);
      s[5][j] = vfmaq_laneq_f32(s[5][j], v, a1, 1);
      s[6][j] = vfmaq_laneq_f32(s[6][j], v, a1, 2);
      s[7][j] = vfmaq_laneq_f32(s[7][j], v, a1, 3);
    }
    a += 8, b += 12;
  }
#pragma GCC unroll 8
  for (auto& row : s) {
    if (accumulate) {
      for (int j = 0; j < 3; ++j) {
        row[j] = vaddq_f32(vld1q_f32(c + 4 * j), row[j]);
      }
    }
    for (int j = 0; j < 3; ++j) vst1q_f32(c + 4 * j, row[j]);
    c += ldc;
  }
}

}  // namespace

const GemmTile kNeonTile = {8, 12, Run};

}  // namespace sluice

#endif  // __aarch64__
