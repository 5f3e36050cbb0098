// Sixteen blocks of random bits at once (base/random.h), for loops that fill
// arrays: word k of block b + j is w[k][j]. The same bits as RandomBits(), but
// faster: one block is a chain of ten dependent multiplications, and sixteen of
// them hide each other's latency. Plain functions.
#pragma once

#include "sluice/base/random.h"
#include "sluice/kernels/cpu/isa.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace sluice {

inline constexpr int kPhiloxLanes = 16;
using PhiloxWords = uint32_t[4][kPhiloxLanes];

// REQUIRES: block is a multiple of kPhiloxLanes, so that no lane carries into
// the upper half of the counter.
SL_INLINE void PhiloxLanes(const RandomKey& key, uint64_t block,
                           PhiloxWords& w) {
  auto k0 = static_cast<uint32_t>(key.key);
  auto k1 = static_cast<uint32_t>(key.key >> 32);
  auto low = static_cast<uint32_t>(block);
  auto high = static_cast<uint32_t>(block >> 32);
  auto s0 = static_cast<uint32_t>(key.step);
  auto s1 = static_cast<uint32_t>(key.step >> 32);
#if defined(__aarch64__)
  constexpr int kGroups = kPhiloxLanes / 4;
  const uint32x4_t first = {0, 1, 2, 3};
  uint32x4_t m0 = vdupq_n_u32(0xd2511f53u), m1 = vdupq_n_u32(0xcd9e8d57u);
  uint32x4_t c0[kGroups], c1[kGroups], c2[kGroups], c3[kGroups];
  for (uint32_t g = 0; g < kGroups; ++g) {
    c0[g] = vaddq_u32(vdupq_n_u32(low + 4 * g), first);
    c1[g] = vdupq_n_u32(high);
    c2[g] = vdupq_n_u32(s0);
    c3[g] = vdupq_n_u32(s1);
  }
  for (int round = 0; round < 10; ++round) {
    uint32x4_t a = vdupq_n_u32(k0), b = vdupq_n_u32(k1);
    for (int g = 0; g < kGroups; ++g) {
      auto wide = [](uint32x4_t x, uint32x4_t m, uint32x4_t* hi) {
        uint32x4_t l =
            vreinterpretq_u32_u64(vmull_u32(vget_low_u32(x), vget_low_u32(m)));
        uint32x4_t h = vreinterpretq_u32_u64(vmull_high_u32(x, m));
        *hi = vuzp2q_u32(l, h);
        return vuzp1q_u32(l, h);
      };
      uint32x4_t hi0, hi1;
      uint32x4_t lo0 = wide(c0[g], m0, &hi0), lo1 = wide(c2[g], m1, &hi1);
      c0[g] = veorq_u32(hi1, veorq_u32(c1[g], a));
      c2[g] = veorq_u32(hi0, veorq_u32(c3[g], b));
      c1[g] = lo1;
      c3[g] = lo0;
    }
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  for (int g = 0; g < kGroups; ++g) {
    vst1q_u32(&w[0][4 * g], c0[g]);
    vst1q_u32(&w[1][4 * g], c1[g]);
    vst1q_u32(&w[2][4 * g], c2[g]);
    vst1q_u32(&w[3][4 * g], c3[g]);
  }
#else
  for (uint32_t j = 0; j < kPhiloxLanes; ++j) {
    w[0][j] = low + j;
    w[1][j] = high;
    w[2][j] = s0;
    w[3][j] = s1;
  }
  for (int round = 0; round < 10; ++round) {
    for (int j = 0; j < kPhiloxLanes; ++j) {
      uint64_t p0 = uint64_t{0xd2511f53u} * w[0][j];
      uint64_t p1 = uint64_t{0xcd9e8d57u} * w[2][j];
      w[0][j] = static_cast<uint32_t>(p1 >> 32) ^ w[1][j] ^ k0;
      w[2][j] = static_cast<uint32_t>(p0 >> 32) ^ w[3][j] ^ k1;
      w[1][j] = static_cast<uint32_t>(p1);
      w[3][j] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
#endif
}

}  // namespace sluice
