#if defined(__x86_64__)

#include <immintrin.h>

#include "sluice/kernels/cpu/gemm/turn.h"

#define SL_TARGET_TURN __attribute__((target("avx512f,avx512bw")))

namespace sluice::gemm {

namespace {

// Transposes 16 x 16 words of 32 bits: v[row] becomes the columns. Pairs of
// rows, then pairs of pairs, are interleaved within each quarter of a register;
// then the quarters are exchanged.
SL_TARGET_TURN inline void TurnWords(__m512i (&v)[16]) {
  __m512i pairs[16], fours[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
  // Quarter q of fours[4 * i + j]: column 4 * q + j of rows 4 * i and on.
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  constexpr int kEven = 0x88, kOdd = 0xdd;  // quarters 0, 2 and 1, 3 of both
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    __m512i a = _mm512_shuffle_i32x4(fours[j], fours[4 + j], kEven);
    __m512i b = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], kEven);
    __m512i c = _mm512_shuffle_i32x4(fours[j], fours[4 + j], kOdd);
    __m512i d = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], kOdd);
    v[j] = _mm512_shuffle_i32x4(a, b, kEven);
    v[4 + j] = _mm512_shuffle_i32x4(c, d, kEven);
    v[8 + j] = _mm512_shuffle_i32x4(a, b, kOdd);
    v[12 + j] = _mm512_shuffle_i32x4(c, d, kOdd);
  }
}

}  // namespace

// Two elements of k form a word; then words are transposed, separately for the
// lower and the upper half of every 8 columns.
SL_TARGET_TURN void Turn32x32(const uint16_t* from, int64_t stride,
                              uint16_t* to) {
  for (int half = 0; half < 2; ++half) {
    __m512i words[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m512i even = _mm512_loadu_si512(from + 2 * i * stride);
      __m512i odd = _mm512_loadu_si512(from + (2 * i + 1) * stride);
      words[i] = half ? _mm512_unpackhi_epi16(even, odd)
                      : _mm512_unpacklo_epi16(even, odd);
    }
    TurnWords(words);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      const int column = i / 4 * 8 + half * 4 + i % 4;
      _mm512_storeu_si512(to + 32 * column, words[i]);
    }
  }
}

}  // namespace sluice::gemm

#endif  // __x86_64__
