// int8 by matrix instructions (SMMLA, USMMLA: eight k of two rows times two
// columns) or, on machines without them, by dot products (SDOT: four k of one
// row times four columns). Exact: sums wrap at 32 bits.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack_groups.h"

#define SL_TARGET_I8MM __attribute__((target("arch=armv8.2-a+i8mm")))
#define SL_TARGET_DOT __attribute__((target("arch=armv8.2-a+dotprod")))

namespace sluice {

namespace {

// 8 x 12 in 2 x 2 pieces. kUnsigned: whether A is unsigned.
template <bool kUnsigned>
SL_TARGET_I8MM void MatrixTile(int64_t k, const int8_t* a, const int8_t* b,
                               uint32_t* c, int64_t ldc, bool accumulate) {
  int32x4_t s[4][6];
#pragma GCC unroll 4
  for (auto& row : s) {
#pragma GCC unroll 6
    for (int32x4_t& v : row) v = vdupq_n_s32(0);
  }
  for (int64_t p = 0; p < k; p += 8) {
    int8x16_t x[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) x[i] = vld1q_s8(a + 16 * i);
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      int8x16_t y = vld1q_s8(b + 16 * j);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        if constexpr (kUnsigned) {
          s[i][j] = vusmmlaq_s32(s[i][j], vreinterpretq_u8_s8(x[i]), y);
        } else {
          s[i][j] = vmmlaq_s32(s[i][j], x[i], y);
        }
      }
    }
    a += 64, b += 96;
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    uint32_t* row[2] = {c + 2 * i * ldc, c + (2 * i + 1) * ldc};
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      uint32x4_t left = vreinterpretq_u32_s32(s[i][2 * j]);
      uint32x4_t right = vreinterpretq_u32_s32(s[i][2 * j + 1]);
      uint32x4_t v[2] = {
          vcombine_u32(vget_low_u32(left), vget_low_u32(right)),
          vcombine_u32(vget_high_u32(left), vget_high_u32(right))};
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        uint32_t* to = row[h] + 4 * j;
        vst1q_u32(to, accumulate ? vaddq_u32(vld1q_u32(to), v[h]) : v[h]);
      }
    }
  }
}

// 8 x 12, like the float tile with four k in place of one. An unsigned A is
// packed as a - 128; the difference, 128 times the sum of a column of B, is
// accumulated too and added back.
template <bool kUnsigned>
SL_TARGET_DOT void DotTile(int64_t k, const int8_t* a, const int8_t* b,
                           uint32_t* c, int64_t ldc, bool accumulate) {
  int32x4_t s[8][3], shift[3];
#pragma GCC unroll 8
  for (auto& row : s) row[0] = row[1] = row[2] = vdupq_n_s32(0);
  shift[0] = shift[1] = shift[2] = vdupq_n_s32(0);
  const int8x16_t minus_128 = vdupq_n_s8(-128);
  for (int64_t p = 0; p < k; p += 4) {
    int8x16_t a0 = vld1q_s8(a), a1 = vld1q_s8(a + 16);
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      int8x16_t v = vld1q_s8(b + 16 * j);
      s[0][j] = vdotq_laneq_s32(s[0][j], v, a0, 0);
      s[1][j] = vdotq_laneq_s32(s[1][j], v, a0, 1);
      s[2][j] = vdotq_laneq_s32(s[2][j], v, a0, 2);
      s[3][j] = vdotq_laneq_s32(s[3][j], v, a0, 3);
      s[4][j] = vdotq_laneq_s32(s[4][j], v, a1, 0);
      s[5][j] = vdotq_laneq_s32(s[5][j], v, a1, 1);
      s[6][j] = vdotq_laneq_s32(s[6][j], v, a1, 2);
      s[7][j] = vdotq_laneq_s32(s[7][j], v, a1, 3);
      if constexpr (kUnsigned) shift[j] = vdotq_s32(shift[j], v, minus_128);
    }
    a += 32, b += 48;
  }
#pragma GCC unroll 8
  for (auto& row : s) {
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      uint32x4_t v = vreinterpretq_u32_s32(vsubq_s32(row[j], shift[j]));
      if (accumulate) v = vaddq_u32(vld1q_u32(c + 4 * j), v);
      vst1q_u32(c + 4 * j, v);
    }
    c += ldc;
  }
}

// An unsigned element in the form stored in a panel for DotTile<true>.
struct Shifted {
  uint8_t bits;
  explicit operator int8_t() const {
    return static_cast<int8_t>(static_cast<int>(bits) - 128);
  }
};

constexpr GemmKit Kit(int ku, GemmKit::Pack pack_a, GemmKit::Pack pack_b,
                      GemmKit::Run run) {
  GemmKit kit;
  kit.mr = 8, kit.nr = 12, kit.ku = ku, kit.kc = 1024;
  kit.in_bytes = kit.packed_bytes = 1;
  kit.sum_bytes = kit.out_bytes = 4;
  kit.pack_a = pack_a, kit.pack_b = pack_b, kit.run = run;
  return kit;
}

using gemm::PackGroups;
using gemm::RunTiles;

}  // namespace

constinit const GemmKit kMatrixS8Kit =
    Kit(8, PackGroups<8, 8, int8_t>, PackGroups<12, 8, int8_t>,
        RunTiles<int8_t, uint32_t, 8, 12, MatrixTile<false>>);
constinit const GemmKit kMatrixU8S8Kit =
    Kit(8, PackGroups<8, 8, int8_t>, PackGroups<12, 8, int8_t>,
        RunTiles<int8_t, uint32_t, 8, 12, MatrixTile<true>>);
constinit const GemmKit kDotS8Kit =
    Kit(4, PackGroups<8, 4, int8_t>, PackGroups<12, 4, int8_t>,
        RunTiles<int8_t, uint32_t, 8, 12, DotTile<false>>);
constinit const GemmKit kDotU8S8Kit =
    Kit(4, PackGroups<8, 4, Shifted, int8_t>, PackGroups<12, 4, int8_t>,
        RunTiles<int8_t, uint32_t, 8, 12, DotTile<true>>);

}  // namespace sluice

#endif  // __aarch64__
