// exp and functions based on it, for float: see vector_math.h. Plain functions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/kernels/cpu/wave.h"

namespace sluice::vmath {

namespace internal {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
// Adding and subtracting it rounds to the nearest integer and leaves that
// integer in the low bits. This works for NaN, too: there is no conversion that
// could be undefined.
inline constexpr float kRoundShift = 12582912.0f;  // 1.5 * 2^23
// ln2 in two parts: the high one has 15 bits, so that n times it is exact.
inline constexpr float kLn2High = 0.693145751953125f;
inline constexpr float kLn2Low = 1.42860682030941723e-6f;

// A polynomial, highest coefficient first. Pairs of coefficients are combined
// in parallel and then folded by the square z: the chain of dependent additions
// is half as long as with Horner's rule.
template <class F>
SL_INLINE F FoldPairs(F, F, F sum) {
  return sum;
}
template <class F, class... Cs>
SL_INLINE F FoldPairs(F x, F z, F sum, F odd, F even, Cs... rest) {
  return FoldPairs<F>(x, z, MulAdd(sum, z, MulAdd(odd, x, even)), rest...);
}
template <class F, class... Cs>
SL_INLINE F StartWithPair(F x, F z, F odd, F even, Cs... rest) {
  return FoldPairs<F>(x, z, MulAdd(odd, x, even), rest...);
}
template <class F, class... Cs>
SL_INLINE F Poly(F x, F z, F high, Cs... rest) {
  if constexpr (sizeof...(Cs) % 2 == 0) {
    return FoldPairs<F>(x, z, high, rest...);
  } else {
    return StartWithPair<F>(x, z, high, rest...);
  }
}

// The same for an even number of constant coefficients and any F of wave.h.
template <float kOdd, float kEven, float... kRest, class F>
SL_INLINE F FoldTerms(F x, F z, F sum) {
  sum = MulAdd(sum, z, MulAdd(kOdd, x, Term<kEven>()));
  Pin(sum);
  if constexpr (sizeof...(kRest) == 0) {
    return sum;
  } else {
    return FoldTerms<kRest...>(x, z, sum);
  }
}
template <float kHigh, float kNext, float... kRest, class F>
SL_INLINE F PolyOf(F x, F z) {
  return FoldTerms<kRest...>(x, z, MulAdd(kHigh, x, Term<kNext>()));
}

SL_INLINE float Magnitude(float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x7fffffffu);
}
// |magnitude| with the sign of `sign`.
SL_INLINE float WithSign(float magnitude, float sign) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) |
                              (std::bit_cast<uint32_t>(sign) & 0x80000000u));
}

// 2^n for -126 <= n <= 127, n in two's complement.
SL_INLINE float Pow2(uint32_t n) {
  return std::bit_cast<float>((n + 127u) << 23);
}
// v * 2^n for -252 <= n <= 254: in two factors, because the full range of
// results needs n from -150 to 128.
SL_INLINE float Scale(float v, uint32_t n) {
  uint32_t half = static_cast<uint32_t>(static_cast<int32_t>(n) >> 1);
  return v * Pow2(half) * Pow2(n - half);
}

// x = n ln2 + r with |r| <= ln2/2.
struct ExpArgument {
  float r;
  uint32_t n;
};
SL_INLINE ExpArgument ReduceExp(float x) {
  float t = MulAdd(x, 1.44269504f, kRoundShift);
  uint32_t n =
      std::bit_cast<uint32_t>(t) - std::bit_cast<uint32_t>(kRoundShift);
  float nf = t - kRoundShift;
  float r = MulAdd(nf, -kLn2High, x);
  return {MulAdd(nf, -kLn2Low, r), n};
}
// exp(r) and exp(r) - 1 for |r| <= ln2/2; minimax for their relative errors.
template <class F>
SL_INLINE F ExpPoly(F r) {
  F z = r * r;
  F high = MulAdd(0.00836867746f, r, Term<0.0416682661f>());
  F q = MulAdd(0.166665211f, r, Term<0.49999994f>());
  high = MulAdd(0.00138207339f, z, high);
  q = MulAdd(high, z, q);
  Pin(q);
  return MulAdd(MulAdd(q, r, Term<1.0f>()), r, Term<1.0f>());
}
SL_INLINE float Expm1Poly(float r) {
  float z = r * r;
  float q = Poly(r, z, 0.000199442671f, 0.00139326742f, 0.00833320804f,
                 0.0416664891f, 0.166666672f, 0.5f);
  return MulAdd(q, z, r);
}

// x = n ln2 + r for Exp alone, with ln(3/4) <= r <= ln(3/2): then exp(r) - 1 is
// between -1/4 and 1/2, and its rounding error is half of that below -1/4.
template <class F>
struct ExpParts {
  F r;
  F shifted;  // n + 127, the exponent of 2^n, in the low bits
};
inline constexpr float kPowerShift = kRoundShift + 127.0f;
inline constexpr float kExpMiddle = 0.0588915f;
template <class F>
SL_INLINE ExpParts<F> SplitExp(F x) {
  F t = MulAdd(1.44269504f, x - kExpMiddle, Term<kPowerShift>());
  Pin(t);
  F nf = t - kPowerShift;
  F r = MulAdd(-kLn2High, nf, x);
  return {MulAdd(-kLn2Low, nf, r), t};
}
// The same for exp(-x), with the signs folded into the constants.
template <class F>
SL_INLINE ExpParts<F> SplitExpOfMinus(F x) {
  F t = MulAdd(-1.44269504f, x + kExpMiddle, Term<kPowerShift>());
  Pin(t);
  F nf = t - kPowerShift;
  F s = MulAdd(kLn2High, nf, x);
  return {-MulAdd(kLn2Low, nf, s), t};
}
// exp(r) - 1 for the r of SplitExp, minimax for the relative error of exp(r).
template <class F>
SL_INLINE F ExpTail(F r) {
  Pin(r);
  F z = r * r;
  F high = MulAdd(0.0083599966f, r, Term<0.0416584462f>());
  F q = MulAdd(0.166665733f, r, Term<0.500000179f>());
  high = MulAdd(0.00146427553f, z, high);
  q = MulAdd(high, z, q);
  Pin(q);
  return MulAdd(q, z, r);
}
// 2^n (1 + tail) in one step, for normal results.
template <class F>
SL_INLINE F JoinExp(const ExpParts<F>& parts) {
  F tail = ExpTail(parts.r);
  F power = FloatOf(BitsOf(parts.shifted) << 23);
  return MulAdd(power, tail, power);
}
// exp(x) for x <= 89.
SL_INLINE float ExpBelow89(float x) {
  auto [r, shifted] = SplitExp(x < -104.0f ? -104.0f : x);
  return Scale(1.0f + ExpTail(r), std::bit_cast<uint32_t>(shifted) -
                                      std::bit_cast<uint32_t>(kPowerShift));
}

}  // namespace internal

// |x| as an integer that grows with it; NaN is greater than infinity.
SL_INLINE uint32_t Distance(float x) {
  return std::bit_cast<uint32_t>(x) & 0x7fffffffu;
}

SL_INLINE float Exp(float x) {
  // Outside, the result is 0 or infinity anyway; comparisons keep NaN.
  return internal::ExpBelow89(x > 89.0f ? 89.0f : x);
}
// The same bits for Distance(x) <= kExpNear, |x| <= 87, where the result is
// normal.
template <class F>
SL_INLINE F ExpNear(F x) {
  return internal::JoinExp(internal::SplitExp(x));
}
inline constexpr uint32_t kExpNear = std::bit_cast<uint32_t>(87.0f);

SL_INLINE float Exp2(float x) {
  float c = x > 129.0f ? 129.0f : x;
  c = c < -151.0f ? -151.0f : c;
  float t = c + internal::kRoundShift;
  uint32_t n = std::bit_cast<uint32_t>(t) -
               std::bit_cast<uint32_t>(internal::kRoundShift);
  float r = c - (t - internal::kRoundShift);  // exact
  float q =
      internal::Poly(r, r * r, 0.000153292785f, 0.00133909704f, 0.00961849932f,
                     0.0555035956f, 0.240226477f, 0.693147182f);
  float p = MulAdd(q, r, 1.0f);
  return internal::Scale(p, n);
}

SL_INLINE float Expm1(float x) {
  float c = x < -20.0f ? -20.0f : x;
  c = c > 89.0f ? 89.0f : c;
  auto [r, n] = internal::ReduceExp(c);
  // Half of it, because n reaches 128.
  float half = internal::Pow2(n - 1);
  float y = MulAdd(internal::Expm1Poly(r), half, half - 0.5f);
  return x == 0.0f ? x : y + y;  // keeps -0
}

SL_INLINE float Tanh(float x) {
  // tanh = e / (e + 2) with e = exp(2|x|) - 1: accurate for small x, too.
  float a = internal::Magnitude(x);
  a = a > 9.1f ? 9.1f : a;
  auto [r, n] = internal::ReduceExp(a + a);
  float scale = internal::Pow2(n);
  float e = MulAdd(internal::Expm1Poly(r), scale, scale - 1.0f);
  return internal::WithSign(e / (e + 2.0f), x);
}

SL_INLINE float Sigmoid(float x) {
  // 1 / (1 + exp(-x)); below -87 this is exp(x), and exp(-x) would overflow.
  bool low = x < -87.0f;
  float e = Exp(low ? x : -x);
  return low ? e : 1.0f / (1.0f + e);
}
// The same bits for Distance(x) <= kExpNear.
template <class F>
SL_INLINE F SigmoidNear(F x) {
  return 1.0f / (1.0f + internal::JoinExp(internal::SplitExpOfMinus(x)));
}

namespace internal {
// exp(a) / 4 for 0 <= a; n reaches 129 before the result overflows.
SL_INLINE float QuarterExp(float a) {
  float c = a > 90.0f ? 90.0f : a;
  auto [r, n] = ReduceExp(c);
  return Scale(ExpPoly(r), n - 2);
}
}  // namespace internal

SL_INLINE float Sinh(float x) {
  float a = internal::Magnitude(x);
  float h = internal::QuarterExp(a);
  float large = 2.0f * (h - 0.0625f / h);
  float z = x * x;
  float q = internal::Poly(z, z * z, 2.78223001e-06f, 0.000198428941f,
                           0.00833331048f, 0.166666672f);
  float small = MulAdd(q * z, a, a);
  return internal::WithSign(a < 1.0f ? small : large, x);
}

SL_INLINE float Cosh(float x) {
  float h = internal::QuarterExp(internal::Magnitude(x));
  return 2.0f * (h + 0.0625f / h);
}

}  // namespace sluice::vmath
