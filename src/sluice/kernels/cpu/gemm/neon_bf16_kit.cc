// bf16 by the matrix instruction BFMMLA: two rows of A with four k each times
// two columns of B, a 2 x 2 piece of C in one register. Products of bf16 are
// exact in float; the instruction rounds the sum of two to odd and treats
// subnormal numbers as zero.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "sluice/kernels/cpu/gemm/halves.h"
#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack_groups.h"

namespace sluice {

namespace {

__attribute__((target("arch=armv8.2-a+bf16"))) void Tile(int64_t k,
                                                         const uint16_t* a,
                                                         const uint16_t* b,
                                                         float* c, int64_t ldc,
                                                         bool accumulate) {
  float32x4_t s[4][6];
#pragma GCC unroll 4
  for (auto& row : s) {
#pragma GCC unroll 6
    for (float32x4_t& v : row) v = vdupq_n_f32(0);
  }
  for (int64_t p = 0; p < k; p += 4) {
    bfloat16x8_t x[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      x[i] = vreinterpretq_bf16_u16(vld1q_u16(a + 8 * i));
    }
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      bfloat16x8_t y = vreinterpretq_bf16_u16(vld1q_u16(b + 8 * j));
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) s[i][j] = vbfmmlaq_f32(s[i][j], x[i], y);
    }
    a += 32, b += 48;
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    float* row[2] = {c + 2 * i * ldc, c + (2 * i + 1) * ldc};
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      float32x4_t left = s[i][2 * j], right = s[i][2 * j + 1];
      float32x4_t v[2] = {
          vcombine_f32(vget_low_f32(left), vget_low_f32(right)),
          vcombine_f32(vget_high_f32(left), vget_high_f32(right))};
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        float* to = row[h] + 4 * j;
        vst1q_f32(to, accumulate ? vaddq_f32(vld1q_f32(to), v[h]) : v[h]);
      }
    }
  }
}

constexpr GemmKit Kit() {
  GemmKit kit;
  kit.mr = 8, kit.nr = 12, kit.ku = 4, kit.kc = 512;
  kit.in_bytes = kit.out_bytes = kit.packed_bytes = 2;
  kit.sum_bytes = 4;
  kit.pack_a = gemm::PackGroups<8, 4, uint16_t>;
  kit.pack_b = gemm::PackGroups<12, 4, uint16_t>;
  kit.store = gemm::StoreBF16;
  kit.run = gemm::RunTiles<uint16_t, float, 8, 12, Tile>;
  return kit;
}

}  // namespace

constinit const GemmKit kMatrixBF16Kit = Kit();

}  // namespace sluice

#endif  // __aarch64__
