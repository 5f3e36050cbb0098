// f16 and bf16 as storage types: two bytes that convert to and from float.
// Arithmetic is done in float; conversion rounds to nearest even. aarch64 has
// instructions for f16, which give the same bits as the integer arithmetic used
// elsewhere, NaNs included.
#pragma once

#include <bit>
#include <cstdint>

namespace sluice {

struct bf16 {
  uint16_t bits = 0;

  bf16() = default;
  explicit bf16(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((u >> 16) | 0x40);  // a quiet NaN stays NaN
    } else {
      bits = static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
    }
  }
  operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

struct f16 {
  uint16_t bits = 0;

  f16() = default;
#if defined(__aarch64__)
  explicit f16(float f)
      : bits(std::bit_cast<uint16_t>(static_cast<__fp16>(f))) {}
  operator float() const { return std::bit_cast<__fp16>(bits); }
#else
  explicit f16(float f) : bits(FromFloat(f)) {}
  operator float() const { return ToFloat(bits); }
#endif

  // The same in integer arithmetic.
  static uint16_t FromFloat(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    uint32_t sign = (u >> 16) & 0x8000u;
    u &= 0x7fffffffu;
    if (u >= 0x47800000u) {  // at least 2^16: infinity, or NaN
      uint32_t nan = 0x7e00u | (u >> 13 & 0x1ffu);
      return static_cast<uint16_t>(sign | (u > 0x7f800000u ? nan : 0x7c00u));
    }
    if (u < 0x38800000u) {
      // Subnormal in f16: adding 0.5 lets the float unit do the rounding.
      float shifted = std::bit_cast<float>(u) + 0.5f;
      return static_cast<uint16_t>(
          sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
    }
    u += 0xc8000fffu + ((u >> 13) & 1);  // rebias the exponent, round to even
    return static_cast<uint16_t>(sign | (u >> 13));
  }
  static float ToFloat(uint16_t h) {
    uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
    uint32_t rest = h & 0x7fffu;
    if (rest >= 0x7c00u) {
      uint32_t quiet = rest > 0x7c00u ? 0x00400000u : 0u;
      return std::bit_cast<float>(sign | 0x7f800000u | quiet |
                                  ((rest & 0x3ffu) << 13));
    }
    if (rest >= 0x400u) {
      return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000u));
    }
    float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
};

static_assert(sizeof(bf16) == 2 && sizeof(f16) == 2);

}  // namespace sluice
