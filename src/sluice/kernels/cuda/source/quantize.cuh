// Converts numbers to small integers and back, by one scale and zero point or
// one for each index of an axis. T: the type of the elements; Q: of the result.
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"

namespace sluice {

struct QuantizeArgs {
  const void* x;
  void* y;
  const float* scale;
  const int32_t* zero;
  int64_t n;
  int64_t entries, inner;  // element i uses entry i / inner % entries
  int64_t low, high;       // the range of zero points
  Check* check;
};

// Scales must be above 0 and finite, zero points within the integer type.
// Reports twice the entry, plus 1 for a zero point.
SL_GLOBAL(check_scales, QuantizeArgs, a) {
  for (int64_t i = FirstThread(); i < a.entries; i += AllThreads()) {
    float scale = a.scale[i];
    if (!(scale > 0) || scale > 3.4e38f) {
      Report(a.check, 2 * i, std::bit_cast<int32_t>(scale));
    } else if (a.zero[i] < a.low || a.zero[i] > a.high) {
      Report(a.check, 2 * i + 1, a.zero[i]);
    }
  }
}

template <class V, class R>
inline R Quantized(V x, float scale, int32_t zero) {
  constexpr float kLo = std::is_signed_v<R> ? -128 : 0;
  constexpr float kHi = std::is_signed_v<R> ? 127 : 255;
  float z = float(zero);
  float v = float(Widen(x)) / scale;
  v = v == v ? v : 0.0f;  // NaN becomes the zero point
  v = v < kLo - z ? kLo - z : v;
  v = v > kHi - z ? kHi - z : v;
  // Adding and subtracting 1.5 * 2^23 rounds to even: |v| < 2^22 here.
  v = (v + 0x1.8p23f) - 0x1.8p23f;
  return R(int32_t(v + z));
}

template <class V>
inline float Dequantized(V x, float scale, int32_t zero) {
  // Uses double only for i32, whose numbers float cannot hold.
  using C = std::conditional_t<sizeof(V) == 4, double, float>;
  return float((C(x) - C(zero)) * C(scale));
}

template <class V, class R>
inline R Convert(V x, float scale, int32_t zero) {
  if constexpr (std::is_same_v<R, float>) {
    return Dequantized(x, scale, zero);
  } else {
    return Quantized<V, R>(x, scale, zero);
  }
}

SL_GLOBAL(quantize, QuantizeArgs, a) {
  const T* x = static_cast<const T*>(a.x);
  Q* y = static_cast<Q*>(a.y);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t entry = i / a.inner % a.entries;
    y[i] = Convert<T, Q>(x[i], a.scale[entry], a.zero[entry]);
  }
}

}  // namespace sluice
