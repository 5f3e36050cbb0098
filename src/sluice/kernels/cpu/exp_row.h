// Rows of exponentials: the loops softmax, cross entropy and attention spend
// their time in. Sums are gathered in kLanes lanes and folded pairwise, an
// order fixed by the row's length alone.
//
// Plain functions on memory the caller owns; made to be inlined into loops
// compiled per level (kernels/cpu/isa.h).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace sluice::rows {

inline constexpr int kLanes = 16;

// exp(d) for d <= 0: within 2 ulp down to -16, 6 ulp further down, 0 below
// 2^-126; NaN stays NaN. Half the work of vmath::Exp, which must also bear
// overflow and subnormal results.
SL_INLINE float ExpNegative(float d) {
  // t's low bits are n = round(d / ln2); what is left is |r| <= ln2 / 2.
  constexpr float kShift = 12582912.0f;
  float t = MulAdd(d, 1.44269504f, kShift);
  float n = t - kShift;
  float r = MulAdd(n, -0.693145751953125f, d);
  r = MulAdd(n, -1.42860682030941723e-6f, r);
  uint32_t power = (std::bit_cast<uint32_t>(t) << 23) + 0x3f800000u;
  // exp(r) = 1 + r + r^2 q(r), minimax; short chains rather than few steps.
  float z = r * r;
  float low = MulAdd(0.16667116f, r, 0.4999923f);
  float high = MulAdd(0.008312501f, r, 0.04189033f);
  float y = MulAdd(MulAdd(high, z, low), z, r + 1.0f);
  y *= std::bit_cast<float>(power);
  return d < -87.33f ? 0.0f : y;
}
SL_INLINE double ExpNegative(double d) { return std::exp(d); }

// The larger; b when a is NaN.
template <class C>
SL_INLINE C Larger(C a, C b) {
#if defined(__aarch64__)
  if constexpr (sizeof(C) == 4) return __builtin_fmaxf(a, b);
#endif
  return a > b ? a : b;
}

template <class C, class Fold>
SL_INLINE C FoldLanes(C (&lane)[kLanes], Fold fold) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) lane[k] = fold(lane[k], lane[k + width]);
  }
  return lane[0];
}
template <class C>
SL_INLINE C SumLanes(C (&lane)[kLanes]) {
  return FoldLanes(lane, [](C a, C b) { return a + b; });
}

// The largest of n elements, NaN left out; -infinity of none.
template <class T, class C = Compute<T>>
SL_INLINE C RowMax(const T* x, int64_t n) {
  C lane[kLanes];
  for (C& v : lane) v = -std::numeric_limits<C>::infinity();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      lane[k] = Larger(static_cast<C>(x[i + k]), lane[k]);
    }
  }
  for (int k = 0; i < n; ++i, ++k) {
    lane[k] = Larger(static_cast<C>(x[i]), lane[k]);
  }
  return FoldLanes(lane, [](C a, C b) { return Larger(a, b); });
}

// The sum of exp(x[i] - shift) over n elements, none of which is above shift;
// with kStore, the exponentials go to y, which may be x.
template <bool kStore, class T, class C = Compute<T>>
SL_INLINE C ExpSum(const T* x, int64_t n, C shift, T* y) {
  C lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      C e = ExpNegative(static_cast<C>(x[i + k]) - shift);
      if constexpr (kStore) y[i + k] = static_cast<T>(e);
      lane[k] += e;
    }
  }
  for (int k = 0; i < n; ++i, ++k) {
    C e = ExpNegative(static_cast<C>(x[i]) - shift);
    if constexpr (kStore) y[i] = static_cast<T>(e);
    lane[k] += e;
  }
  return SumLanes(lane);
}

// The same side by side for n columns: y[k] = exp(x[k] - shift[k]), added to
// sum[k]. y may be x; without kStore it is not written.
template <bool kStore, class T, class C = Compute<T>>
SL_INLINE void ExpSumStep(const T* x, const C* shift, int64_t n, T* y, C* sum) {
  SL_VECTORIZE
  for (int64_t k = 0; k < n; ++k) {
    C e = ExpNegative(static_cast<C>(x[k]) - shift[k]);
    if constexpr (kStore) y[k] = static_cast<T>(e);
    sum[k] += e;
  }
}

#if defined(__aarch64__)

// ExpNegative of four vectors, step by step side by side: compiled from the
// plain loop, one vector's chain follows the other's and fills the scheduler
// with instructions that wait (1.0 against 1.5 elements per ns).
struct Exp16 {
  float32x4_t v[4];

  // Each v[u] becomes its exponential.
  SL_INLINE void Run() {
    const float32x4_t magic = vdupq_n_f32(12582912.0f);
    const uint32x4_t one = vreinterpretq_u32_f32(vdupq_n_f32(1.0f));
    float32x4_t t[4], r[4], z[4], low[4], high[4];
    uint32x4_t power[4], tiny[4];
    Pin(v);
    Each([&](int u) { t[u] = vfmaq_n_f32(magic, v[u], 1.44269504f); });
    Pin(t);
    Each([&](int u) {
      power[u] = vshlq_n_u32(vreinterpretq_u32_f32(t[u]), 23);
      t[u] = vsubq_f32(t[u], magic);
      tiny[u] = vcltq_f32(v[u], vdupq_n_f32(-87.33f));
    });
    Pin(t);
    // The product is exact inside, so one constant for ln2 is enough.
    Each([&](int u) { r[u] = vfmsq_n_f32(v[u], t[u], 0.693147182f); });
    Pin(r);
    Each([&](int u) {
      high[u] = vfmaq_n_f32(vdupq_n_f32(0.04189033f), r[u], 0.008312501f);
    });
    Pin(high);
    Each([&](int u) {
      low[u] = vfmaq_n_f32(vdupq_n_f32(0.4999923f), r[u], 0.16667116f);
    });
    Pin(low);
    Each([&](int u) {
      z[u] = vmulq_f32(r[u], r[u]);
      r[u] = vaddq_f32(r[u], vdupq_n_f32(1.0f));
    });
    Each([&](int u) { low[u] = vfmaq_f32(low[u], high[u], z[u]); });
    Pin(low);
    Each([&](int u) { r[u] = vfmaq_f32(r[u], low[u], z[u]); });
    Pin(r);
    Each([&](int u) {
      // A product, not a sum of exponents: NaN must stay NaN.
      float32x4_t scale = vreinterpretq_f32_u32(vaddq_u32(power[u], one));
      uint32x4_t bits = vreinterpretq_u32_f32(vmulq_f32(r[u], scale));
      v[u] = vreinterpretq_f32_u32(vbicq_u32(bits, tiny[u]));
    });
  }

 private:
  template <class F>
  SL_INLINE static void Each(F f) {
    for (int u = 0; u < 4; ++u) f(u);
  }
  // The compiler may not move later steps before these.
  SL_INLINE static void Pin(float32x4_t (&step)[4]) {
    for (int u = 0; u < 4; ++u) asm("" : "+w"(step[u]));
  }
};

template <bool kStore>
SL_INLINE float ExpSum(const float* x, int64_t n, float shift, float* y) {
  const float32x4_t from = vdupq_n_f32(shift);
  float32x4_t sum[4] = {};
  auto add = [&](const float* at, float* to) {
    Exp16 e;
    for (int u = 0; u < 4; ++u) e.v[u] = vsubq_f32(vld1q_f32(at + 4 * u), from);
    e.Run();
    for (int u = 0; u < 4; ++u) {
      if constexpr (kStore) vst1q_f32(to + 4 * u, e.v[u]);
      sum[u] = vaddq_f32(sum[u], e.v[u]);
    }
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) add(x + i, y + i);
  if (i < n) {
    float rest[kLanes];
    for (float& v : rest) v = -std::numeric_limits<float>::infinity();
    for (int64_t k = i; k < n; ++k) rest[k - i] = x[k];
    add(rest, rest);
    if constexpr (kStore) {
      for (int64_t k = i; k < n; ++k) y[k] = rest[k - i];
    }
  }
  return vaddvq_f32(
      vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3])));
}

template <bool kStore>
SL_INLINE void ExpSumStep(const float* x, const float* shift, int64_t n,
                          float* y, float* sum) {
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    Exp16 e;
    for (int u = 0; u < 4; ++u) {
      e.v[u] =
          vsubq_f32(vld1q_f32(x + k + 4 * u), vld1q_f32(shift + k + 4 * u));
    }
    e.Run();
    for (int u = 0; u < 4; ++u) {
      float* to = sum + k + 4 * u;
      if constexpr (kStore) vst1q_f32(y + k + 4 * u, e.v[u]);
      vst1q_f32(to, vaddq_f32(vld1q_f32(to), e.v[u]));
    }
  }
  if (k < n) {
    ExpSumStep<kStore, float, float>(x + k, shift + k, n - k, y + k, sum + k);
  }
}
#endif

}  // namespace sluice::rows
