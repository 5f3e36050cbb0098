// Trigonometric functions and their inverses, for float: see vector_math.h.
// Plain functions.
//
// sin, cos and tan reduce their argument by multiples of pi/2 in three parts,
// which is accurate up to kTrigNear. Beyond it, SinFar and the others multiply
// by 2/pi with as many digits as necessary, one number at a time; Sin, Cos and
// Tan choose. Loops over the near versions vectorize (elementwise.h does that
// for formulas with a kNear).
#pragma once

#include "sluice/kernels/cpu/vector_exp.h"

namespace sluice::vmath {

// Near is Distance(x) <= kTrigNear.
inline constexpr uint32_t kTrigNear = std::bit_cast<uint32_t>(131072.0f);

namespace internal {

// x = n pi/2 + r with |r| <= pi/4 (a little more), n modulo 4.
struct TrigArgument {
  float r;
  uint32_t n;
};
SL_INLINE TrigArgument ReduceTrig(float x) {
  float t = MulAdd(x, 0.636619747f, kRoundShift);
  float nf = t - kRoundShift;
  // The first step is exact: both sides are multiples of 2^-23 below 1.
  float r = MulAdd(nf, -1.57079637f, x);
  r = MulAdd(nf, 4.37113883e-08f, r);
  r = MulAdd(nf, 1.71512451e-15f, r);
  return {r, std::bit_cast<uint32_t>(t)};
}

// The same for any finite x, by 2/pi to 94 fractional bits.
inline TrigArgument ReduceTrigFar(float x) {
  // 2/pi in binary, after a word of zeros for small e.
  constexpr uint32_t kTwoOverPi[] = {0,           0xa2f9836eu, 0x4e441529u,
                                     0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
                                     0x3c439041u, 0xfe5163abu, 0xdebbc561u,
                                     0xb7246e3au, 0x424dd2e0u, 0x06492eeau};
  uint32_t bits = std::bit_cast<uint32_t>(x) & 0x7fffffffu;
  uint64_t m = (bits & 0x007fffffu) | 0x00800000u;
  // |x| = m 2^e. The window starts at the bit of 2/pi that 2^e turns into a 2:
  // the bits left of it are whole turns and do not matter.
  uint32_t start = (bits >> 23) - 150 + 30;
  uint32_t word = start / 32 & 7, shift = start % 32;
  auto window = [&](uint32_t k) -> uint64_t {
    uint64_t two = uint64_t{kTwoOverPi[word + k]} << 32;
    two |= kTwoOverPi[word + k + 1];
    return (two << shift) >> 32;
  };
  uint64_t high = window(0) << 32 | window(1);
  uint64_t product = m * high + (m * window(2) >> 32);
  // Two bits of n, the rest is a fraction; rounded to the nearest n.
  uint64_t n = (product + (uint64_t{1} << 61)) >> 62;
  auto rest = static_cast<int64_t>(product - (n << 62));
  double r = static_cast<double>(rest) * 3.4061215800304556e-19;  // pi/2 / 2^62
  bool negative = std::bit_cast<uint32_t>(x) >> 31;
  return {static_cast<float>(negative ? -r : r),
          static_cast<uint32_t>(negative ? 0 - n : n)};
}

SL_INLINE float SinPoly(float r, float z) {
  float q = Poly(z, z * z, 2.83286295e-06f, -0.000198530804f, 0.0083333794f,
                 -0.166666672f);
  return MulAdd(q * z, r, r);
}
SL_INLINE float CosPoly(float z) {
  return Poly(z, z * z, 2.4432562e-05f, -0.00138873106f, 0.0416666456f, -0.5f,
              1.0f);
}
SL_INLINE float Negate(float x, uint32_t sign_bit) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) ^
                              (sign_bit & 0x80000000u));
}

SL_INLINE float SinOf(TrigArgument t, uint32_t quarter) {
  uint32_t n = t.n + quarter;
  float z = t.r * t.r;
  float y = n & 1 ? CosPoly(z) : SinPoly(t.r, z);
  return Negate(y, n << 30);
}
SL_INLINE float TanOf(TrigArgument t) {
  float z = t.r * t.r;
  float s = SinPoly(t.r, z), c = CosPoly(z);
  bool odd = t.n & 1;
  return Negate((odd ? c : s) / (odd ? s : c), t.n << 31);
}
// The near versions turn infinities and NaN into NaN.
inline bool TrigIsFar(float x) {
  return Distance(x) > kTrigNear && Distance(x) < 0x7f800000u;
}

}  // namespace internal

// Accurate for |x| <= 2^17; NaN for infinities and NaN.
SL_INLINE float SinNear(float x) {
  float y = internal::SinOf(internal::ReduceTrig(x), 0);
  return x == 0.0f ? x : y;  // keeps -0
}
SL_INLINE float CosNear(float x) {
  return internal::SinOf(internal::ReduceTrig(x), 1);
}
SL_INLINE float TanNear(float x) {
  float y = internal::TanOf(internal::ReduceTrig(x));
  return x == 0.0f ? x : y;
}

inline float Sin(float x) {
  if (!internal::TrigIsFar(x)) return SinNear(x);
  return internal::SinOf(internal::ReduceTrigFar(x), 0);
}
inline float Cos(float x) {
  if (!internal::TrigIsFar(x)) return CosNear(x);
  return internal::SinOf(internal::ReduceTrigFar(x), 1);
}
inline float Tan(float x) {
  if (!internal::TrigIsFar(x)) return TanNear(x);
  return internal::TanOf(internal::ReduceTrigFar(x));
}

namespace internal {

// asin(s) for 0 <= s <= 1/2, z = s^2.
SL_INLINE float AsinPoly(float s, float z) {
  float q = Poly(z, z * z, 0.037693806f, 0.0143160392f, 0.0318389572f,
                 0.0445133783f, 0.0750052184f, 0.166666597f);
  return MulAdd(q * z, s, s);
}
// atan(w) for 0 <= w <= 1.
SL_INLINE float AtanPoly(float w) {
  float z = w * w;
  float q = Poly(z, z * z, -0.0017848867f, 0.0108763073f, -0.0311081968f,
                 0.057889726f, -0.0839963257f, 0.109509431f, -0.142640203f,
                 0.199985296f, -0.333332986f);
  return MulAdd(q * z, w, w);
}
inline constexpr float kHalfPi = 1.57079637f, kHalfPiLow = -4.37113883e-08f;
inline constexpr float kPi = 3.14159274f, kPiLow = -8.742278e-08f;

}  // namespace internal

SL_INLINE float Asin(float x) {
  float a = internal::Magnitude(x);
  // asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
  bool outer = a > 0.5f;
  float z = outer ? (1.0f - a) * 0.5f : a * a;
  float p = internal::AsinPoly(outer ? std::sqrt(z) : a, z);
  float y = outer ? internal::kHalfPi - (2.0f * p - internal::kHalfPiLow) : p;
  return internal::WithSign(y, x);
}

SL_INLINE float Acos(float x) {
  float a = internal::Magnitude(x);
  bool outer = a > 0.5f;
  float z = outer ? (1.0f - a) * 0.5f : a * a;
  float p = internal::AsinPoly(outer ? std::sqrt(z) : a, z);
  float twice = p + p;
  float far = x < 0.0f ? internal::kPi - (twice - internal::kPiLow) : twice;
  float signed_p = x < 0.0f ? -p : p;
  float near = internal::kHalfPi - (signed_p - internal::kHalfPiLow);
  return outer ? far : near;
}

SL_INLINE float Atan(float x) {
  float a = internal::Magnitude(x);
  bool outer = a > 1.0f;
  float p = internal::AtanPoly(outer ? 1.0f / a : a);
  float y = outer ? internal::kHalfPi - (p - internal::kHalfPiLow) : p;
  return internal::WithSign(y, x);
}

SL_INLINE float Atan2(float y, float x) {
  float ay = internal::Magnitude(y), ax = internal::Magnitude(x);
  bool steep = ay > ax;
  float low = steep ? ax : ay, high = steep ? ay : ax;
  float w = low / high;
  w = high == 0.0f ? 0.0f : w;
  w = low == internal::kInf ? 1.0f : w;  // both infinite
  float p = internal::AtanPoly(w);
  p = steep ? internal::kHalfPi - (p - internal::kHalfPiLow) : p;
  bool left = std::bit_cast<uint32_t>(x) >> 31;  // -0 counts
  p = left ? internal::kPi - (p - internal::kPiLow) : p;
  p = ((x != x) | (y != y)) ? x + y : p;
  return internal::WithSign(p, y);
}

}  // namespace sluice::vmath
