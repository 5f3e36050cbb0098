#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack.h"
#include "sluice/kernels/cpu/gemm/pack_groups.h"
#include "sluice/kernels/cpu/gemm/pack_halves.h"
#include "sluice/kernels/cpu/gemm/tile.h"

#define SL_TARGET __attribute__((target("avx2,fma")))

namespace sluice {

namespace {

void RunF32(int64_t k, const void* a, const void* b, void* c, int64_t ldc,
            int rows, int columns, bool accumulate) {
  RunTile(kAvx2Tile, k, static_cast<const float*>(a),
          static_cast<const float*>(b), static_cast<float*>(c), ldc, rows,
          columns, accumulate);
}

// 6 x 8 doubles, in the registers of the 6 x 16 floats.
SL_TARGET void TileF64(int64_t k, const double* a, const double* b, double* c,
                       int64_t ldc, bool accumulate) {
  __m256d s[6][2];
#pragma GCC unroll 6
  for (auto& row : s) row[0] = row[1] = _mm256_setzero_pd();
  for (int64_t p = 0; p < k; ++p) {
    __m256d b0 = _mm256_loadu_pd(b), b1 = _mm256_loadu_pd(b + 4);
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      __m256d v = _mm256_broadcast_sd(a + i);
      s[i][0] = _mm256_fmadd_pd(v, b0, s[i][0]);
      s[i][1] = _mm256_fmadd_pd(v, b1, s[i][1]);
    }
    a += 6, b += 8;
  }
#pragma GCC unroll 6
  for (auto& row : s) {
    if (accumulate) {
      row[0] = _mm256_add_pd(_mm256_loadu_pd(c), row[0]);
      row[1] = _mm256_add_pd(_mm256_loadu_pd(c + 4), row[1]);
    }
    _mm256_storeu_pd(c, row[0]);
    _mm256_storeu_pd(c + 4, row[1]);
    c += ldc;
  }
}

// 6 x 16 sums of int8, widened to 16 bits while packing: two k at once. Their
// products and the sum of two fit easily into 32 bits.
SL_TARGET void TileInt8(int64_t k, const int16_t* a, const int16_t* b,
                        uint32_t* c, int64_t ldc, bool accumulate) {
  __m256i s[6][2];
#pragma GCC unroll 6
  for (auto& row : s) row[0] = row[1] = _mm256_setzero_si256();
  for (int64_t p = 0; p < k; p += 2) {
    __m256i b0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    __m256i b1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + 16));
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      int32_t pair;
      std::memcpy(&pair, a + 2 * i, sizeof pair);
      __m256i v = _mm256_set1_epi32(pair);
      s[i][0] = _mm256_add_epi32(s[i][0], _mm256_madd_epi16(v, b0));
      s[i][1] = _mm256_add_epi32(s[i][1], _mm256_madd_epi16(v, b1));
    }
    a += 12, b += 32;
  }
#pragma GCC unroll 6
  for (auto& row : s) {
    __m256i* to = reinterpret_cast<__m256i*>(c);
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      if (accumulate) {
        row[j] = _mm256_add_epi32(_mm256_loadu_si256(to + j), row[j]);
      }
      _mm256_storeu_si256(to + j, row[j]);
    }
    c += ldc;
  }
}

constexpr GemmKit Floats(int in_bytes, GemmKit::Pack pack_a,
                         GemmKit::Pack pack_b, GemmKit::Store store) {
  GemmKit kit;
  kit.mr = 6, kit.nr = 16, kit.kc = 320;
  kit.in_bytes = kit.out_bytes = in_bytes;
  kit.packed_bytes = kit.sum_bytes = 4;
  kit.pack_a = pack_a, kit.pack_b = pack_b, kit.store = store;
  kit.run = RunF32;
  return kit;
}

constexpr GemmKit Doubles() {
  GemmKit kit;
  kit.mr = 6, kit.nr = 8;
  kit.in_bytes = kit.out_bytes = kit.packed_bytes = kit.sum_bytes = 8;
  kit.pack_a = gemm::Pack<6, double>, kit.pack_b = gemm::Pack<8, double>;
  kit.run = gemm::RunTiles<double, double, 6, 8, TileF64>;
  return kit;
}

constexpr GemmKit Int8(GemmKit::Pack pack_a) {
  GemmKit kit;
  kit.mr = 6, kit.nr = 16, kit.ku = 2, kit.kc = 512;
  kit.in_bytes = 1, kit.packed_bytes = 2;
  kit.sum_bytes = kit.out_bytes = 4;
  kit.pack_a = pack_a;
  kit.pack_b = gemm::PackGroups<16, 2, int8_t, int16_t>;
  kit.run = gemm::RunTiles<int16_t, uint32_t, 6, 16, TileInt8>;
  return kit;
}

}  // namespace

constinit const GemmKit kAvx2F32Kit =
    Floats(4, gemm::Pack<6, float>, gemm::Pack<16, float>, nullptr);
constinit const GemmKit kAvx2F16Kit = Floats(
    2, gemm::PackHalves<6, f16>, gemm::PackHalves<16, f16>, gemm::StoreF16);
constinit const GemmKit kAvx2BF16Kit = Floats(
    2, gemm::PackHalves<6, bf16>, gemm::PackHalves<16, bf16>, gemm::StoreBF16);
constinit const GemmKit kAvx2F64Kit = Doubles();
constinit const GemmKit kAvx2S8Kit =
    Int8(gemm::PackGroups<6, 2, int8_t, int16_t>);
constinit const GemmKit kAvx2U8S8Kit =
    Int8(gemm::PackGroups<6, 2, uint8_t, int16_t>);

}  // namespace sluice

#endif  // __x86_64__
