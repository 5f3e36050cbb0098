// float exp, log, tanh and their relatives as straight-line arithmetic: no
// branches, no table, no library call, so that loops over them vectorise on any
// machine. Each states its error against the exact result. double goes to the
// C library.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sluice/kernels/cpu/mul_add.h"

// A call left standing inside a loop keeps the whole loop scalar.
#define SL_ALWAYS_INLINE inline __attribute__((always_inline))

namespace sluice::vmath {

namespace internal {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
// ln2 in two parts: the high one has 15 bits, so that n times it is exact.
inline constexpr float kLn2High = 0.693145751953125f;
inline constexpr float kLn2Low = 1.42860682030941723e-6f;

// x = n ln2 + r with |r| <= ln2/2: r, exp(r) - 1, and n as a two's complement
// number. Adding and subtracting 1.5 * 2^23 rounds to the nearest integer and
// leaves that integer in the low bits, which works for NaN too (no conversion
// that could be undefined).
struct ExpParts {
  float p;
  uint32_t n;
};
SL_ALWAYS_INLINE ExpParts ReduceExp(float x) {
  constexpr float kShift = 12582912.0f;
  float t = MulAdd(x, 1.44269504f, kShift);
  uint32_t n = std::bit_cast<uint32_t>(t) - std::bit_cast<uint32_t>(kShift);
  float nf = t - kShift;
  float r = MulAdd(nf, -kLn2High, x);
  r = MulAdd(nf, -kLn2Low, r);
  // (exp(r) - 1 - r) / r^2, minimax on [-ln2/2, ln2/2].
  float q = 1.9919898385e-4f;
  q = MulAdd(q, r, 1.39472116337e-3f);
  q = MulAdd(q, r, 8.33326162307e-3f);
  q = MulAdd(q, r, 4.16662540078e-2f);
  q = MulAdd(q, r, 1.66666668723e-1f);
  q = MulAdd(q, r, 5.00000008264e-1f);
  return {MulAdd(q * r, r, r), n};
}

// 2^n for -126 <= n <= 127.
SL_ALWAYS_INLINE float Pow2(uint32_t n) {
  return std::bit_cast<float>((n + 127u) << 23);
}

}  // namespace internal

// 1.01 ulp.
SL_ALWAYS_INLINE float Exp(float x) {
  // Outside, the result is 0 or infinity anyway; comparisons keep NaN.
  float c = x > 89.0f ? 89.0f : x;
  c = c < -104.0f ? -104.0f : c;
  auto [p, n] = internal::ReduceExp(c);
  // In two factors, because n reaches 128 and -150.
  uint32_t half = static_cast<uint32_t>(static_cast<int32_t>(n) >> 1);
  return (1.0f + p) * internal::Pow2(half) * internal::Pow2(n - half);
}

// 2 ulp.
SL_ALWAYS_INLINE float Expm1(float x) {
  float c = x < -20.0f ? -20.0f : x;
  c = c > 88.0f ? 88.0f : c;
  auto [p, n] = internal::ReduceExp(c);
  float scale = internal::Pow2(n);
  float y = MulAdd(p, scale, scale - 1.0f);
  y = x > 88.0f ? Exp(x) : y;
  return x == 0.0f ? x : y;  // keeps -0
}

// 1 ulp.
SL_ALWAYS_INLINE float Log(float x) {
  // Subnormals are scaled up first.
  bool tiny = x < 1.17549435e-38f;
  float v = tiny ? x * 8388608.0f : x;
  float e = tiny ? -23.0f : 0.0f;
  // v = 2^k m with sqrt(1/2) <= m < sqrt(2).
  uint32_t bits = std::bit_cast<uint32_t>(v) - 0x3f3504f3u;
  e += static_cast<float>(static_cast<int32_t>(bits) >> 23);
  float m = std::bit_cast<float>((bits & 0x007fffffu) + 0x3f3504f3u);
  float f = m - 1.0f;
  float z = f * f;
  // (log(1+f) - f + f^2/2) / f^3, minimax.
  float q = 6.9153646012e-2f;
  q = MulAdd(q, f, -1.17897286965e-1f);
  q = MulAdd(q, f, 1.18729333393e-1f);
  q = MulAdd(q, f, -1.23843595008e-1f);
  q = MulAdd(q, f, 1.42186659862e-1f);
  q = MulAdd(q, f, -1.66692504516e-1f);
  q = MulAdd(q, f, 2.00022261672e-1f);
  q = MulAdd(q, f, -2.49999866001e-1f);
  q = MulAdd(q, f, 3.33333104475e-1f);
  float y = q * f * z;
  y = MulAdd(e, internal::kLn2Low, y);
  y = MulAdd(-0.5f, z, y);
  y = MulAdd(e, internal::kLn2High, f + y);
  y = x == 0.0f ? -internal::kInf : y;
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  // Infinity and NaN come back as they are.
  return x < internal::kInf ? y : x;
}

// 3 ulp.
SL_ALWAYS_INLINE float Log1p(float x) {
  // What 1 + x loses in rounding is put back as a factor.
  float u = 1.0f + x;
  float d = u - 1.0f;
  float log = Log(u);
  float y = log * (x / d);
  y = d == 0.0f ? x : y;
  bool end = (u == internal::kInf) | (u == 0.0f);
  return end ? log : y;
}

// 2 ulp.
SL_ALWAYS_INLINE float Tanh(float x) {
  float a = std::fabs(x);
  float z = x * x;
  // (tanh(x)/x - 1) / x^2 in x^2, minimax on [0, 0.625].
  float q = -5.71704331354e-3f;
  q = MulAdd(q, z, 2.06505853306e-2f);
  q = MulAdd(q, z, -5.37434972884e-2f);
  q = MulAdd(q, z, 1.33314912738e-1f);
  q = MulAdd(q, z, -3.33332839245e-1f);
  float small = MulAdd(q * z, x, x);
  float large = 1.0f - 2.0f / (Exp(2.0f * a) + 1.0f);
  large = x < 0.0f ? -large : large;
  return a < 0.625f ? small : large;
}

// 3 ulp.
SL_ALWAYS_INLINE float Sigmoid(float x) {
  // exp of a negative number never overflows, and small results stay exact.
  float e = Exp(-std::fabs(x));
  float y = (x < 0.0f ? e : 1.0f) / (1.0f + e);
  return x != x ? x : y;
}

// 3 ulp.
SL_ALWAYS_INLINE float Softplus(float x) {
  float y = (x > 0.0f ? x : 0.0f) + Log1p(Exp(-std::fabs(x)));
  return x != x ? x : y;
}

inline double Exp(double x) { return std::exp(x); }
inline double Expm1(double x) { return std::expm1(x); }
inline double Log(double x) { return std::log(x); }
inline double Log1p(double x) { return std::log1p(x); }
inline double Tanh(double x) { return std::tanh(x); }
inline double Sigmoid(double x) {
  double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
inline double Softplus(double x) {
  return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

}  // namespace sluice::vmath
