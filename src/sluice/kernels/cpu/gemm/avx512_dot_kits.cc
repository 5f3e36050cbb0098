// bf16 with VDPBF16PS (two k at once) and int8 with VPDPBUSD (four), if the
// processor has them. The bf16 instruction treats subnormal numbers as zero.
#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "sluice/kernels/cpu/gemm/halves.h"
#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack_groups.h"

#define SL_TARGET_BF16 __attribute__((target("avx512f,avx512bw,avx512bf16")))
#define SL_TARGET_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

namespace sluice {

namespace {

// 14 x 32.
SL_TARGET_BF16 void TileBF16(int64_t k, const uint16_t* a, const uint16_t* b,
                             float* c, int64_t ldc, bool accumulate) {
  __m512 s[14][2];
#pragma GCC unroll 14
  for (auto& row : s) row[0] = row[1] = _mm512_setzero_ps();
  for (int64_t p = 0; p < k; p += 2) {
    __m512bh b0 = (__m512bh)_mm512_loadu_si512(b);
    __m512bh b1 = (__m512bh)_mm512_loadu_si512(b + 32);
#pragma GCC unroll 14
    for (int i = 0; i < 14; ++i) {
      int32_t bits;
      std::memcpy(&bits, a + 2 * i, sizeof bits);
      __m512bh v = (__m512bh)_mm512_set1_epi32(bits);
      s[i][0] = _mm512_dpbf16_ps(s[i][0], v, b0);
      s[i][1] = _mm512_dpbf16_ps(s[i][1], v, b1);
    }
    a += 28, b += 64;
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

// 12 x 32. The instruction requires an unsigned A: a signed A is packed as a +
// 128, and the excess, 128 times the sum of a column of B, is accumulated too
// and subtracted.
template <bool kSigned>
SL_TARGET_VNNI void TileInt8(int64_t k, const uint8_t* a, const uint8_t* b,
                             uint32_t* c, int64_t ldc, bool accumulate) {
  __m512i s[12][2], shift[2];
#pragma GCC unroll 12
  for (auto& row : s) row[0] = row[1] = _mm512_setzero_si512();
  shift[0] = shift[1] = _mm512_setzero_si512();
  const __m512i plus_128 = _mm512_set1_epi8(-128);  // as unsigned: 128
  for (int64_t p = 0; p < k; p += 4) {
    __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 64);
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) {
      int32_t bits;
      std::memcpy(&bits, a + 4 * i, sizeof bits);
      __m512i v = _mm512_set1_epi32(bits);
      s[i][0] = _mm512_dpbusd_epi32(s[i][0], v, b0);
      s[i][1] = _mm512_dpbusd_epi32(s[i][1], v, b1);
    }
    if constexpr (kSigned) {
      shift[0] = _mm512_dpbusd_epi32(shift[0], plus_128, b0);
      shift[1] = _mm512_dpbusd_epi32(shift[1], plus_128, b1);
    }
    a += 48, b += 128;
  }
#pragma GCC unroll 12
  for (auto& row : s) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      __m512i v = _mm512_sub_epi32(row[j], shift[j]);
      uint32_t* to = c + 16 * j;
      if (accumulate) v = _mm512_add_epi32(_mm512_loadu_si512(to), v);
      _mm512_storeu_si512(to, v);
    }
    c += ldc;
  }
}

// A signed element in the form stored in a panel for TileInt8<true>.
struct Shifted {
  int8_t value;
  explicit operator uint8_t() const {
    return static_cast<uint8_t>(static_cast<int>(value) + 128);
  }
};

constexpr GemmKit BF16() {
  GemmKit kit;
  kit.mr = 14, kit.nr = 32, kit.ku = 2, kit.kc = 512;
  kit.in_bytes = kit.out_bytes = kit.packed_bytes = 2;
  kit.sum_bytes = 4;
  kit.pack_a = gemm::PackGroups<14, 2, uint16_t>;
  kit.pack_b = gemm::PackGroups<32, 2, uint16_t>;
  kit.store = gemm::StoreBF16;
  kit.run = gemm::RunTiles<uint16_t, float, 14, 32, TileBF16>;
  return kit;
}

constexpr GemmKit Int8(GemmKit::Pack pack_a, GemmKit::Run run) {
  GemmKit kit;
  kit.mr = 12, kit.nr = 32, kit.ku = 4, kit.kc = 1024;
  kit.in_bytes = kit.packed_bytes = 1;
  kit.sum_bytes = kit.out_bytes = 4;
  kit.pack_a = pack_a, kit.run = run;
  kit.pack_b = gemm::PackGroups<32, 4, uint8_t>;
  return kit;
}

}  // namespace

constinit const GemmKit kAvx512DotBF16Kit = BF16();
constinit const GemmKit kAvx512S8Kit =
    Int8(gemm::PackGroups<12, 4, Shifted, uint8_t>,
         gemm::RunTiles<uint8_t, uint32_t, 12, 32, TileInt8<true>>);
constinit const GemmKit kAvx512U8S8Kit =
    Int8(gemm::PackGroups<12, 4, uint8_t>,
         gemm::RunTiles<uint8_t, uint32_t, 12, 32, TileInt8<false>>);

}  // namespace sluice

#endif  // __x86_64__
