#if defined(__aarch64__)

#include <arm_neon.h>

#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack.h"
#include "sluice/kernels/cpu/gemm/pack_halves.h"
#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

void RunF32(int64_t k, const void* a, const void* b, void* c, int64_t ldc,
            int rows, int columns, bool accumulate) {
  RunTile(kNeonTile, k, static_cast<const float*>(a),
          static_cast<const float*>(b), static_cast<float*>(c), ldc, rows,
          columns, accumulate);
}

// 8 x 6 doubles, in the registers of the 8 x 12 floats.
void TileF64(int64_t k, const double* a, const double* b, double* c,
             int64_t ldc, bool accumulate) {
  float64x2_t s[8][3];
#pragma GCC unroll 8
  for (auto& row : s) row[0] = row[1] = row[2] = vdupq_n_f64(0);
  for (int64_t p = 0; p < k; ++p) {
    float64x2_t a0 = vld1q_f64(a), a1 = vld1q_f64(a + 2);
    float64x2_t a2 = vld1q_f64(a + 4), a3 = vld1q_f64(a + 6);
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      float64x2_t v = vld1q_f64(b + 2 * j);
      s[0][j] = vfmaq_laneq_f64(s[0][j], v, a0, 0);
      s[1][j] = vfmaq_laneq_f64(s[1][j], v, a0, 1);
      s[2][j] = vfmaq_laneq_f64(s[2][j], v, a1, 0);
      s[3][j] = vfmaq_laneq_f64(s[3][j], v, a1, 1);
      s[4][j] = vfmaq_laneq_f64(s[4][j], v, a2, 0);
      s[5][j] = vfmaq_laneq_f64(s[5][j], v, a2, 1);
      s[6][j] = vfmaq_laneq_f64(s[6][j], v, a3, 0);
      s[7][j] = vfmaq_laneq_f64(s[7][j], v, a3, 1);
    }
    a += 8, b += 6;
  }
#pragma GCC unroll 8
  for (auto& row : s) {
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      if (accumulate) row[j] = vaddq_f64(vld1q_f64(c + 2 * j), row[j]);
      vst1q_f64(c + 2 * j, row[j]);
    }
    c += ldc;
  }
}

constexpr GemmKit Floats(int in_bytes, GemmKit::Pack pack_a,
                         GemmKit::Pack pack_b, GemmKit::Store store) {
  GemmKit kit;
  kit.mr = 8, kit.nr = 12, kit.kc = 512;
  kit.in_bytes = kit.out_bytes = in_bytes;
  kit.packed_bytes = kit.sum_bytes = 4;
  kit.pack_a = pack_a, kit.pack_b = pack_b, kit.store = store;
  kit.run = RunF32;
  return kit;
}

constexpr GemmKit Doubles() {
  GemmKit kit;
  kit.mr = 8, kit.nr = 6;
  kit.in_bytes = kit.out_bytes = kit.packed_bytes = kit.sum_bytes = 8;
  kit.pack_a = gemm::Pack<8, double>, kit.pack_b = gemm::Pack<6, double>;
  kit.run = gemm::RunTiles<double, double, 8, 6, TileF64>;
  return kit;
}

}  // namespace

constinit const GemmKit kNeonF32Kit =
    Floats(4, gemm::Pack<8, float>, gemm::Pack<12, float>, nullptr);
constinit const GemmKit kNeonF16Kit = Floats(
    2, gemm::PackHalves<8, f16>, gemm::PackHalves<12, f16>, gemm::StoreF16);
constinit const GemmKit kNeonBF16Kit = Floats(
    2, gemm::PackHalves<8, bf16>, gemm::PackHalves<12, bf16>, gemm::StoreBF16);
constinit const GemmKit kNeonF64Kit = Doubles();

}  // namespace sluice

#endif  // __aarch64__
