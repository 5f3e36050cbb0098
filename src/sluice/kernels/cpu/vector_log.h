// log and functions based on it, for float: see vector_math.h. Plain functions.
#pragma once

#include "sluice/kernels/cpu/vector_exp.h"

namespace sluice::vmath {

namespace internal {

// x = 2^(e / 2^23) (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2): the exponent
// stays in place, which saves a shift at no cost, because its factor is a
// constant.
template <class F>
struct LogArgument {
  F e, f;
};
// For positive normal x.
template <class F>
SL_INLINE LogArgument<F> ReduceLogNear(F x) {
  auto bits = BitsOf(x);
  auto k = (bits - 0x3f3504f3u) & 0xff800000u;
  return {SignedToFloat(k), FloatOf(bits - k) - 1.0f};
}
// For 0 < x < infinity.
SL_INLINE LogArgument<float> ReduceLog(float x) {
  // Subnormals are scaled up first.
  bool tiny = x < 1.17549435e-38f;
  auto [e, f] = ReduceLogNear(tiny ? x * 8388608.0f : x);
  return {e + (tiny ? -23.0f * 8388608.0f : 0.0f), f};
}
inline constexpr float kExponentUnit = 1.0f / 8388608.0f;

// (log(1 + f) - f) / f^2, minimax; z is f^2.
SL_INLINE float LogPoly(float f, float z) {
  float q =
      Poly(f, z, -0.0763630942f, 0.127623081f, -0.131596833f, 0.142015755f,
           -0.166234046f, 0.200012416f, -0.250008196f, 0.333333313f);
  return MulAdd(q, f, -0.5f);
}
// The same for log alone, in fewer steps. log2 and log10 multiply the result
// and cannot afford its rounding errors.
template <class F>
SL_INLINE F LogPolyByThrees(F f, F z) {
  F high = MulAdd(0.127623081f, f, Term<-0.131596833f>());
  F mid = MulAdd(-0.166234046f, f, Term<0.200012416f>());
  F w = z * f;
  high = MulAdd(-0.0763630942f, z, high);
  mid = MulAdd(0.142015755f, z, mid);
  F low = MulAdd(0.333333313f, f, Term<-0.5f>());
  mid = MulAdd(high, w, mid);
  low = MulAdd(-0.250008196f, z, low);
  return MulAdd(mid, w, low);
}
template <class F>
SL_INLINE F AssembleLog(F e, F f) {
  Pin(f);
  F z = f * f;
  F y = MulAdd(LogPolyByThrees(f, z), z, f);
  // ln2 happens to be nearly a float: its error is 1/20 ulp here.
  return MulAdd(0.693147182f * kExponentUnit, e, y);
}
SL_INLINE float AssembleLog2(float e, float f) {
  float z = f * f;
  float t = LogPoly(f, z) * z;
  // (f + t) log2(e) = (f + t) + (f + t) 0.4427, small parts first.
  float y = MulAdd(f, 0.442695041f, t * 0.442695041f);
  return MulAdd(e, kExponentUnit, (y + t) + f);
}
SL_INLINE float AssembleLog10(float e, float f) {
  float z = f * f;
  float t = LogPoly(f, z) * z;
  // log10(e) and log10(2), each in two parts.
  float y = MulAdd(f, -1.01030103e-08f, t * 0.434294492f);
  y = MulAdd(e, 4.60503898e-06f * kExponentUnit, y);
  y = MulAdd(f, 0.434294492f, y);
  return MulAdd(e, 0.301025391f * kExponentUnit, y);
}
// The logarithm outside of ReduceLog's range: -infinity at 0, NaN below,
// infinity and NaN unchanged.
SL_INLINE float LogEnds(float x, float y) {
  y = x == 0.0f ? -kInf : y;
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  return x < kInf ? y : x;
}

// log(1 + x) for -1 < x < infinity.
SL_INLINE float Log1pInside(float x) {
  float u = 1.0f + x;
  auto bits = std::bit_cast<uint32_t>(u);
  uint32_t k = (bits - 0x3f3504f3u) & 0xff800000u;
  float m = std::bit_cast<float>(bits - k);
  // The rounding error of 1 + x, scaled like m. From 2^64 on it is negligible.
  float lost = x < 1.0f ? x - (u - 1.0f) : 1.0f - (u - x);
  float f = MulAdd(lost, std::bit_cast<float>(0x3f800000u - k), m - 1.0f);
  f = x > 0x1p64f ? m - 1.0f : f;
  return AssembleLog(static_cast<float>(static_cast<int32_t>(k)), f);
}

}  // namespace internal

SL_INLINE float Log(float x) {
  auto [e, f] = internal::ReduceLog(x);
  return internal::LogEnds(x, internal::AssembleLog(e, f));
}
SL_INLINE float Log2(float x) {
  auto [e, f] = internal::ReduceLog(x);
  return internal::LogEnds(x, internal::AssembleLog2(e, f));
}
SL_INLINE float Log10(float x) {
  auto [e, f] = internal::ReduceLog(x);
  return internal::LogEnds(x, internal::AssembleLog10(e, f));
}

// The same bits for positive normal numbers: those with LogDistance(x) <=
// kLogNear.
SL_INLINE uint32_t LogDistance(float x) {
  return std::bit_cast<uint32_t>(x) - 0x00800000u;
}
inline constexpr uint32_t kLogNear = 0x7effffffu;
template <class F>
SL_INLINE F LogNear(F x) {
  auto [e, f] = internal::ReduceLogNear(x);
  return internal::AssembleLog(e, f);
}
SL_INLINE float Log2Near(float x) {
  auto [e, f] = internal::ReduceLogNear(x);
  return internal::AssembleLog2(e, f);
}
SL_INLINE float Log10Near(float x) {
  auto [e, f] = internal::ReduceLogNear(x);
  return internal::AssembleLog10(e, f);
}

SL_INLINE float Log1p(float x) {
  float y = internal::Log1pInside(x);
  y = x == -1.0f ? -internal::kInf : y;
  y = x < -1.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  y = x < internal::kInf ? y : x;
  return x == 0.0f ? x : y;  // keeps -0
}

SL_INLINE float Softplus(float x) {
  float e = internal::ExpBelow89(-internal::Magnitude(x));
  return (x > 0.0f ? x : 0.0f) + internal::Log1pInside(e);
}

SL_INLINE float Asinh(float x) {
  float a = internal::Magnitude(x);
  // For large a it is log(2a); the square would overflow.
  bool far = a > 1073741824.0f;
  float near = far ? 1.0f : a;
  float z = near * near;
  float more = z / (1.0f + std::sqrt(1.0f + z));
  float y = Log1p(far ? a : a + more) + (far ? 0.693147182f : 0.0f);
  return internal::WithSign(y, x);
}

SL_INLINE float Acosh(float x) {
  bool far = x > 1073741824.0f;
  float t = (far ? 2.0f : x) - 1.0f;
  float root = std::sqrt(MulAdd(t, t, t + t));
  float y = Log1p(far ? x : t + root) + (far ? 0.693147182f : 0.0f);
  return x < 1.0f ? std::numeric_limits<float>::quiet_NaN() : y;
}

SL_INLINE float Atanh(float x) {
  float a = internal::Magnitude(x);
  return internal::WithSign(0.5f * Log1p((a + a) / (1.0f - a)), x);
}

}  // namespace sluice::vmath
