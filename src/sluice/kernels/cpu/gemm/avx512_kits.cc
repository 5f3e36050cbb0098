#if defined(__x86_64__)

#include <immintrin.h>

#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack.h"
#include "sluice/kernels/cpu/gemm/pack_halves.h"
#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

void RunF32(int64_t k, const void* a, const void* b, void* c, int64_t ldc,
            int rows, int columns, bool accumulate) {
  RunTile(kAvx512Tile, k, static_cast<const float*>(a),
          static_cast<const float*>(b), static_cast<float*>(c), ldc, rows,
          columns, accumulate);
}

// 14 x 16 doubles, in the registers of the 14 x 32 floats.
__attribute__((target("avx512f"))) void TileF64(int64_t k, const double* a,
                                                const double* b, double* c,
                                                int64_t ldc, bool accumulate) {
  __m512d s[14][2];
#pragma GCC unroll 14
  for (auto& row : s) row[0] = row[1] = _mm512_setzero_pd();
  for (int64_t p = 0; p < k; ++p) {
    __m512d b0 = _mm512_loadu_pd(b), b1 = _mm512_loadu_pd(b + 8);
#pragma GCC unroll 14
    for (int i = 0; i < 14; ++i) {
      __m512d v = _mm512_set1_pd(a[i]);
      s[i][0] = _mm512_fmadd_pd(v, b0, s[i][0]);
      s[i][1] = _mm512_fmadd_pd(v, b1, s[i][1]);
    }
    a += 14, b += 16;
  }
#pragma GCC unroll 14
  for (auto& row : s) {
    if (accumulate) {
      row[0] = _mm512_add_pd(_mm512_loadu_pd(c), row[0]);
      row[1] = _mm512_add_pd(_mm512_loadu_pd(c + 8), row[1]);
    }
    _mm512_storeu_pd(c, row[0]);
    _mm512_storeu_pd(c + 8, row[1]);
    c += ldc;
  }
}

constexpr GemmKit Floats(int in_bytes, GemmKit::Pack pack_a,
                         GemmKit::Pack pack_b, GemmKit::Store store) {
  GemmKit kit;
  kit.mr = 14, kit.nr = 32, kit.kc = 320;
  kit.in_bytes = kit.out_bytes = in_bytes;
  kit.packed_bytes = kit.sum_bytes = 4;
  kit.pack_a = pack_a, kit.pack_b = pack_b, kit.store = store;
  kit.run = RunF32;
  return kit;
}

constexpr GemmKit Doubles() {
  GemmKit kit;
  kit.mr = 14, kit.nr = 16;
  kit.in_bytes = kit.out_bytes = kit.packed_bytes = kit.sum_bytes = 8;
  kit.pack_a = gemm::Pack<14, double>, kit.pack_b = gemm::Pack<16, double>;
  kit.run = gemm::RunTiles<double, double, 14, 16, TileF64>;
  return kit;
}

}  // namespace

constinit const GemmKit kAvx512F32Kit =
    Floats(4, gemm::Pack<14, float>, gemm::Pack<32, float>, nullptr);
constinit const GemmKit kAvx512F16Kit = Floats(
    2, gemm::PackHalves<14, f16>, gemm::PackHalves<32, f16>, gemm::StoreF16);
constinit const GemmKit kAvx512BF16Kit = Floats(
    2, gemm::PackHalves<14, bf16>, gemm::PackHalves<32, bf16>, gemm::StoreBF16);
constinit const GemmKit kAvx512F64Kit = Doubles();

}  // namespace sluice

#endif  // __x86_64__
