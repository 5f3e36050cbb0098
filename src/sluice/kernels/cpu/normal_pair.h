// Normal numbers by the Box-Muller method: a radius and an angle for each pair,
// in strict arithmetic, so the bits are the same on every machine. Without
// branches, so that loops over lanes vectorize. Plain functions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "sluice/base/random.h"
#include "sluice/kernels/cpu/strict_math.h"

namespace sluice {

// One pair of normal numbers.
struct NormalPair {
  double a, b;
};
struct NormalFloats {
  float a, b;
};

// Exponential with mean 1 from 31 bits: up to 21.5, accurate to about 2e-7.
SL_INLINE float ExponentialFloat(uint32_t bits) {
  // u in (0, 1]; -log(u) as in NegativeLog, with log(1 + m) by a polynomial.
  float u = static_cast<float>(static_cast<int32_t>(bits >> 1 | 1)) * 0x1p-31f;
  uint32_t x = std::bit_cast<uint32_t>(u) - 0x3f3504f3u;
  auto e = static_cast<float>(static_cast<int32_t>(x) >> 23);
  float m = std::bit_cast<float>((x & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  float z = m * m;
  float p = 0.07149753719568253f;
  p = p * m - 0.115712009370327f;
  p = p * m + 0.11661510914564133f;
  p = p * m - 0.12411050498485565f;
  p = p * m + 0.14249937236309052f;
  p = p * m - 0.1666848063468933f;
  p = p * m + 0.20000708103179932f;
  p = p * m - 0.24999989569187164f;
  p = p * m + 0.3333333134651184f;
  float log = (p * m - 0.5f) * z + m + e * 0.693147180559945f;
  return log < 0 ? -log : 0.0f;
}

// sin and cos of x quarter turns, -1/2 <= x <= 1/2, rotated by q quarter turns.
template <class T, class Bits>
SL_INLINE void TurnOn(T s, T c, Bits q, T radius, T* a, T* b) {
  constexpr int kTop = static_cast<int>(sizeof(T)) * 8 - 1;
  bool odd = (q & 1) != 0;
  T u = odd ? s : c, v = odd ? c : s;
  Bits turn_u = ((q + 1) & 2) << (kTop - 1), turn_v = (q & 2) << (kTop - 1);
  *a = radius * std::bit_cast<T>(std::bit_cast<Bits>(u) ^ turn_u);
  *b = radius * std::bit_cast<T>(std::bit_cast<Bits>(v) ^ turn_v);
}

// Accurate to about 5e-7 of the radius, which is at most 6.6.
SL_INLINE NormalFloats NormalFromWords(uint32_t w0, uint32_t w1) {
  float radius = std::sqrt(2 * ExponentialFloat(w0));
  // Two bits for the quarter, thirty for the position in it.
  float x = static_cast<float>(static_cast<int32_t>(w1 << 2)) * 0x1p-32f;
  float z = x * x;
  float s = -0.004602163098752499f;
  s = s * z + 0.07968021929264069f;
  s = s * z - 0.6459634900093079f;
  s = (s * z + 1.5707963705062866f) * x;
  float c = 0.00090362987248227f;
  c = c * z - 0.02086007036268711f;
  c = c * z + 0.25366920232772827f;
  c = c * z - 1.2337005138397217f;
  c = c * z + 1.0f;
  NormalFloats y;
  TurnOn<float, uint32_t>(s, c, w1 >> 30, radius, &y.a, &y.b);
  return y;
}

SL_INLINE NormalPair NormalDoubles(uint32_t w0, uint32_t w1, uint32_t w2,
                                   uint32_t w3) {
  double u = UniformDouble(w0, w1) + 0x1p-53;  // in (0, 1]
  double radius = std::sqrt(2 * NegativeLog(u));
  // The angle in quarter turns: q whole ones and x in [-1/2, 1/2].
  double t = 4 * UniformDouble(w2, w3);
  double q = std::floor(t + 0.5), x = t - q, z = x * x;
  double s = 5.6339152751583938247e-8;
  s = s * z - 3.5986432285500139438e-6;
  s = s * z + 0.00016044115071123061726;
  s = s * z - 0.0046817541323374854382;
  s = s * z + 0.079692626246042829272;
  s = s * z - 0.64596409750624431267;
  s = (s * z + 1.5707963267948966143) * x;
  double c = -6.3212349826900510963e-9;
  c = c * z + 4.7106095512224650764e-7;
  c = c * z - 0.000025202036764974075806;
  c = c * z + 0.00091926027418231366406;
  c = c * z - 0.020863480763311143534;
  c = c * z + 0.2536695079010467067;
  c = c * z - 1.2337005501361698118;
  c = c * z + 1;
  NormalPair y;
  TurnOn<double, uint64_t>(s, c, static_cast<uint64_t>(static_cast<int64_t>(q)),
                           radius, &y.a, &y.b);
  return y;
}

}  // namespace sluice
