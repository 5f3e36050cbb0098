// Logarithm and exponential in double precision with the same bits on every
// machine: plain additions and products in a fixed order, without a library.
// For random numbers, which promise that; inline, so that loops over them
// vectorize. Relative errors are near 1e-15. Plain functions.
#pragma once

#include <bit>
#include <cstdint>

#include "sluice/kernels/cpu/isa.h"

namespace sluice {

// -log(u) for positive normal u.
SL_INLINE double NegativeLog(double u) {
  // u = 2^e m with sqrt(1/2) <= m < sqrt(2); log m = 2 atanh((m-1)/(m+1)).
  uint64_t bits = std::bit_cast<uint64_t>(u) - 0x3fe6a09e667f3bcdu;
  auto e = static_cast<double>(static_cast<int64_t>(bits) >> 52);
  double m =
      std::bit_cast<double>((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
  double s = (m - 1) / (m + 1), z = s * s;
  double p = 0.084141111631966151739;
  p = p * z + 0.090614860417306075831;
  p = p * z + 0.11111695714419182331;
  p = p * z + 0.14285708434216260811;
  p = p * z + 0.20000000026882517431;
  p = p * z + 0.33333333333292244187;
  return -(e * 0.69314718055994530942 + 2 * (s + s * z * p));
}

// exp(x): 0 below -700 and exp(700) above 700; NaN stays NaN.
SL_INLINE double StrictExp(double x) {
  if (x < -700) return 0;
  x = x > 700 ? 700 : x;
  // x = n log(2) + r; adding and subtracting 1.5 * 2^52 rounds to an integer n.
  double n = (x * 1.4426950408889634074 + 0x1.8p52) - 0x1.8p52;
  double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  // Taylor series; |r| is at most log(2) / 2.
  double p = 0x1.6124613a86d09p-33;
  p = p * r + 0x1.1eed8eff8d898p-29;
  p = p * r + 0x1.ae64567f544e4p-26;
  p = p * r + 0x1.27e4fb7789f5cp-22;
  p = p * r + 0x1.71de3a556c734p-19;
  p = p * r + 0x1.a01a01a01a01ap-16;
  p = p * r + 0x1.a01a01a01a01ap-13;
  p = p * r + 0x1.6c16c16c16c17p-10;
  p = p * r + 0x1.1111111111111p-7;
  p = p * r + 0x1.5555555555555p-5;
  p = p * r + 0x1.5555555555555p-3;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  if (!(n == n)) return x;
  auto exponent = static_cast<int64_t>(n) + 1023;
  return p * std::bit_cast<double>(static_cast<uint64_t>(exponent) << 52);
}

}  // namespace sluice
