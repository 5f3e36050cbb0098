// pow and cbrt, for float: see vector_math.h. Plain functions.
#pragma once

#include "sluice/kernels/cpu/vector_exp.h"

namespace sluice::vmath {

namespace internal {

// log2(a) to 37 bits for 0 < a < infinity; double has no subnormal floats.
SL_INLINE double Log2Wide(float a) {
  auto bits = std::bit_cast<uint64_t>(static_cast<double>(a));
  bits -= 0x3fe6a09e667f3bcdu;  // sqrt(1/2)
  // The biased exponent as a double, without a conversion of 64-bit integers,
  // which not every machine vectorizes.
  uint64_t biased = (bits + (uint64_t{1024} << 52)) >> 52;
  double e = std::bit_cast<double>(biased | 0x4330000000000000u) -
             (4503599627370496.0 + 1024.0);
  double f = std::bit_cast<double>((bits & 0x000fffffffffffffu) +
                                   0x3fe6a09e667f3bcdu) -
             1.0;
  double q =
      Poly(f, f * f, -0.0697387356206186, 0.13251727461095483,
           -0.13463342245653473, 0.13027513956309864, -0.1424977451070514,
           0.16021662310497883, -0.18043682202129332, 0.2061071293062281,
           -0.24044643104707447, 0.28853879551245387, -0.36067379317459064,
           0.4808983488050966, -0.7213475203273934, 1.4426950408865713);
  return MulAdd(q, f, e);
}

}  // namespace internal

SL_INLINE float Pow(float x, float y) {
  float a = internal::Magnitude(x);
  // The logarithm in double: its error is multiplied by y.
  double t = static_cast<double>(y) * internal::Log2Wide(a);
  bool zero = a == 0.0f, unbounded = a == internal::kInf;
  double far = (zero != (y < 0.0f)) ? -400.0 : 400.0;  // a^y is 0 or infinite
  t = (zero | unbounded) ? far : t;
  t = t > 200.0 ? 200.0 : t;
  t = t < -200.0 ? -200.0 : t;
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
  double shifted = t + kShift;
  auto n = static_cast<uint32_t>(std::bit_cast<uint64_t>(shifted));
  auto r = static_cast<float>(t - (shifted - kShift));
  float q =
      internal::Poly(r, r * r, 0.000153292785f, 0.00133909704f, 0.00961849932f,
                     0.0555035956f, 0.240226477f, 0.693147182f);
  float p = MulAdd(q, r, 1.0f);
  float v = internal::Scale(p, n);
  // Signs: an odd power of a negative number is negative, a fractional one is
  // NaN. Floats from 2^24 on are even.
  float half = 0.5f * y;
  bool whole = std::floor(y) == y, even = std::floor(half) == half;
  bool negative = std::bit_cast<uint32_t>(x) >> 31;
  bool undefined = (x < 0.0f) & (x > -internal::kInf) & !whole;
  v = undefined ? std::numeric_limits<float>::quiet_NaN() : v;
  v = (negative & whole & !even) ? -v : v;
  v = ((x != x) | (y != y)) ? x + y : v;
  bool flat = (a == 1.0f) & (internal::Magnitude(y) == internal::kInf);
  return (flat | (x == 1.0f) | (y == 0.0f)) ? 1.0f : v;
}

SL_INLINE float Cbrt(float x) {
  float a = internal::Magnitude(x);
  bool tiny = a < 1.17549435e-38f;
  float v = tiny ? a * 16777216.0f : a;
  // v^(-1/3) from a third of the exponent, then two fourth-order iterations.
  auto bits = static_cast<float>(std::bit_cast<int32_t>(v));
  auto guess = static_cast<int32_t>(MulAdd(bits, -1.0f / 3.0f, 1.4199671e9f));
  float r = std::bit_cast<float>(guess);
  for (int i = 0; i < 2; ++i) {
    float h = MulAdd(-v, r * r * r, 1.0f);
    float c =
        internal::Poly(h, h * h, 0.172839507f, 0.222222224f, 0.333333343f);
    r = MulAdd(c * h, r, r);
  }
  float y = v * (r * r);
  float off = MulAdd(-y, y * y, v);
  y = MulAdd(off * (1.0f / 3.0f), r * r, y);
  y = tiny ? y * 0.00390625f : y;
  y = ((a > 0.0f) & (a < internal::kInf)) ? y : a;
  return internal::WithSign(y, x);
}

}  // namespace sluice::vmath
