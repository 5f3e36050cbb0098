#include "sluice/kernels/cpu/random_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sluice/tensor/half.h"

namespace sluice {

namespace {

// A multiple of what one block of bits yields for any type.
constexpr int64_t kGrain = 1 << 14;

// -log(u) for 0 < u <= 1, to 1e-15.
double NegativeLog(double u) {
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

template <class T>
T UniformOf(const RandomBlock& bits, int part);
template <>
float UniformOf(const RandomBlock& bits, int part) {
  return UniformFloat(bits[static_cast<size_t>(part)]);
}
template <>
double UniformOf(const RandomBlock& bits, int part) {
  auto k = static_cast<size_t>(2 * part);
  return UniformDouble(bits[k], bits[k + 1]);
}
// Only as many bits as a half holds: rounding more could give 1.
template <>
f16 UniformOf(const RandomBlock& bits, int part) {
  return f16(static_cast<float>(bits[static_cast<size_t>(part)] >> 21) *
             0x1p-11f);
}
template <>
bf16 UniformOf(const RandomBlock& bits, int part) {
  return bf16(static_cast<float>(bits[static_cast<size_t>(part)] >> 24) *
              0x1p-8f);
}

template <class T>
void Uniform(const RandomKey& key, int64_t begin, int64_t end, void* to) {
  constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4;
  T* y = static_cast<T*>(to);
  for (int64_t i = begin; i < end; i += kPerBlock) {
    RandomBlock bits = RandomBits(key, static_cast<uint64_t>(i / kPerBlock));
    auto n = static_cast<int>(std::min<int64_t>(kPerBlock, end - i));
    for (int k = 0; k < n; ++k) y[i + k] = UniformOf<T>(bits, k);
  }
}

template <class T>
T FromDouble(double v) {
  if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(v));
  } else {
    return static_cast<T>(v);
  }
}

template <class T>
void Normal(const RandomKey& key, int64_t begin, int64_t end, void* to) {
  T* y = static_cast<T*>(to);
  for (int64_t i = begin; i < end; i += 2) {
    NormalPair pair =
        NormalFromBits(RandomBits(key, static_cast<uint64_t>(i / 2)));
    y[i] = FromDouble<T>(pair.a);
    if (i + 1 < end) y[i + 1] = FromDouble<T>(pair.b);
  }
}

using FillFn = void (*)(const RandomKey&, int64_t, int64_t, void*);

bool Fill(FillFn fill, const RandomKey& key, int64_t n, void* to,
          WorkerPool* pool) {
  if (!fill) return false;
  ParallelFor(pool, n, kGrain,
              [&](int64_t b, int64_t e) { fill(key, b, e, to); });
  return true;
}

}  // namespace

NormalPair NormalFromBits(const RandomBlock& bits) {
  // Box and Muller: a radius and an angle. u is in (0, 1].
  double u = UniformDouble(bits[0], bits[1]) + 0x1p-53;
  double radius = std::sqrt(2 * NegativeLog(u));
  // The angle in quarter turns: q whole ones and x in [-1/2, 1/2].
  double t = 4 * UniformDouble(bits[2], bits[3]);
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
  switch (static_cast<int>(q) & 3) {
    case 0:
      return {radius * c, radius * s};
    case 1:
      return {radius * -s, radius * c};
    case 2:
      return {radius * -c, radius * -s};
    default:
      return {radius * s, radius * -c};
  }
}

bool FillUniform(const RandomKey& key, DType dtype, int64_t n, void* to,
                 WorkerPool* pool) {
  FillFn fill = dtype == DType::kF32    ? &Uniform<float>
                : dtype == DType::kF64  ? &Uniform<double>
                : dtype == DType::kF16  ? &Uniform<f16>
                : dtype == DType::kBF16 ? &Uniform<bf16>
                                        : nullptr;
  return Fill(fill, key, n, to, pool);
}

bool FillNormal(const RandomKey& key, DType dtype, int64_t n, void* to,
                WorkerPool* pool) {
  FillFn fill = dtype == DType::kF32    ? &Normal<float>
                : dtype == DType::kF64  ? &Normal<double>
                : dtype == DType::kF16  ? &Normal<f16>
                : dtype == DType::kBF16 ? &Normal<bf16>
                                        : nullptr;
  return Fill(fill, key, n, to, pool);
}

}  // namespace sluice
