// erf, erfc and the two forms of GELU, for float: see vector_math.h. Plain
// functions.
#pragma once

#include "sluice/kernels/cpu/vector_exp.h"

namespace sluice::vmath {

namespace internal {

// u(a) = -log(erfc(a)) for 0 <= a <= 4, so that 1 - exp(-u) keeps the relative
// accuracy of erf down to 0.
SL_INLINE float MinusLogErfc(float a) {
  float p = Poly(a, a * a, -9.38805533e-06f, 0.000118861877f, -0.000637364632f,
                 0.00167567749f, -0.000169504594f, -0.0191478226f, 0.102776304f,
                 0.636619568f, 0.128379166f);
  return MulAdd(p, a, a);
}

}  // namespace internal

SL_INLINE float Erf(float x) {
  float a = internal::Magnitude(x);
  a = a > 4.0f ? 4.0f : a;
  auto [r, n] = internal::ReduceExp(-internal::MinusLogErfc(a));
  float scale = internal::Pow2(n);
  float y = MulAdd(-internal::Expm1Poly(r), scale, 1.0f - scale);
  return internal::WithSign(y, x);
}

SL_INLINE float Erfc(float x) {
  float a = internal::Magnitude(x);
  a = a > 10.1f ? 10.1f : a;
  bool near = a < 1.0f;
  // For large a it is exp(-a^2) erfcx(a); the second factor times a + 3 is
  // smooth in (a - 3) / (a + 3).
  float w = 1.0f / (a + 3.0f);
  float t = MulAdd(-6.0f, w, 1.0f);
  float g = internal::Poly(t, t * t, -0.000315699086f, -0.000471331266f,
                           0.00307104364f, -0.00123959256f, -0.0268373806f,
                           0.119533405f, -0.31046623f, 0.590227842f,
                           -0.88339448f, 1.07400692f);
  // The rounding error of the square would be multiplied by its size: it is
  // added to the reduced argument.
  float s = a * a;
  float lost = near ? 0.0f : MulAdd(a, a, -s);
  auto [r, n] = internal::ReduceExp(near ? -internal::MinusLogErfc(a) : -s);
  float p = internal::ExpPoly(r - lost);
  float y = internal::Scale(near ? p : p * (g * w), n);
  return x < 0.0f ? 2.0f - y : y;
}

namespace internal {

// x P(x), P the normal distribution function, for |x| = a: a P(-a) is
// value * 2^n. P(-a) = exp(-a^2/2) s(a), and s times a + 4 is smooth in
// (a - 4) / (a + 4).
template <class F>
struct GeluTail {
  F value;
  F shifted;  // n in the low bits, above kRoundShift's
};
template <class F>
SL_INLINE GeluTail<F> GeluTailAt(F a) {
  F w = 1.0f / (a + 4.0f);
  // The exponential first, because the division is slow.
  F s = a * a;
  F lost = MulAdd(a, a, -s);
  F h = -0.5f * s;
  F shifted = MulAdd(1.44269504f, h, Term<kRoundShift>());
  Pin(shifted);
  F nf = shifted - kRoundShift;
  F r = MulAdd(-kLn2Low, nf, MulAdd(-kLn2High, nf, h));
  F p = ExpPoly(MulAdd(-0.5f, lost, r));
  Pin(p);
  F t = MulAdd(-8.0f, w, Term<1.0f>());
  F g = PolyOf<-0.000125742372f, 0.000190292441f, 0.00156902778f,
               -0.00352162821f, -0.00752686849f, 0.0604064576f, -0.186522931f,
               0.387136608f, -0.607896626f, 0.755285144f>(t, t * t);
  return {p * (a * (g * w)), shifted};
}

}  // namespace internal

SL_INLINE float Gelu(float x) {
  float a = internal::Magnitude(x);
  auto [value, shifted] = internal::GeluTailAt(a > 14.5f ? 14.5f : a);
  // Scaling is last: results may be subnormal.
  float tail =
      internal::Scale(value, BitsOf(shifted) - BitsOf(internal::kRoundShift));
  return internal::WithSign(x < 0.0f ? tail : a - tail, x);
}
// The same bits for Distance(x) <= kGeluNear, where no result is subnormal
// unless n is 0: one addition to the exponent scales.
template <class F>
SL_INLINE F GeluNear(F x) {
  F a = FloatOf(BitsOf(x) & 0x7fffffffu);
  auto [value, shifted] = internal::GeluTailAt(a);
  // The shift removes kRoundShift's own bits.
  F tail = FloatOf(BitsOf(value) + (BitsOf(shifted) << 23));
  return NotBelowZero(x) - tail;
}
inline constexpr uint32_t kGeluNear = std::bit_cast<uint32_t>(12.5f);

SL_INLINE float GeluTanh(float x) {
  // 0.5 x (1 + tanh(v)) = x / (1 + exp(-2v)), 2v = x (1.596 + 0.0714 x^2). 2v
  // goes up to 88, and its absolute error becomes a relative error of the
  // result: both the sum and the product are kept in two parts.
  constexpr float kC1 = 1.595768928527832f, kC1Low = 1.93077899e-07f;
  constexpr float kC3 = 0.0713548139f, kC3Low = 2.39883e-09f;
  float a = internal::Magnitude(x);
  float c = a > 10.8f ? 10.8f : a;
  float z = c * c;
  float z_low = MulAdd(c, c, -z);
  float w = MulAdd(kC3, z, kC1);
  // kC1 is short enough for w - kC1 to be exact.
  float w_low = MulAdd(kC3, z, -(w - kC1)) +
                MulAdd(kC3, z_low, MulAdd(kC3Low, z, kC1Low));
  float v = c * w;
  float v_low = MulAdd(c, w, -v) + c * w_low;
  auto [r, n] = internal::ReduceExp(-v);
  float p = internal::ExpPoly(r - v_low);
  float e = internal::Scale(p, n);
  // Scaling is last: results may be subnormal.
  float y = (x < 0.0f ? c * p : a) / (1.0f + e);
  return internal::WithSign(x < 0.0f ? internal::Scale(y, n) : y, x);
}

}  // namespace sluice::vmath
