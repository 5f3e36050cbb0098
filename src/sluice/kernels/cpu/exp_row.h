// Rows of exponentials: the loops in which softmax, cross entropy and attention
// spend their time. Meant to be inlined into loops compiled per level. Plain
// functions.
#pragma once

#include <cmath>

#include "sluice/kernels/cpu/lanes.h"

namespace sluice::rows {

// exp(d) for d <= 0: within 2 ulp down to -16, 6 ulp below that, 0 below
// 2^-126; NaN stays NaN. Half the work of vmath::Exp, which also handles
// overflow and subnormal results.
SL_INLINE float ExpNegative(float d) {
  // The low bits of t are n = round(d / ln2); the remainder is |r| <= ln2 / 2.
  constexpr float kShift = 12582912.0f;
  float t = MulAdd(d, 1.44269504f, kShift);
  float n = t - kShift;
  float r = MulAdd(n, -0.693145751953125f, d);
  r = MulAdd(n, -1.42860682030941723e-6f, r);
  uint32_t power = (std::bit_cast<uint32_t>(t) << 23) + 0x3f800000u;
  // exp(r) = 1 + r + r^2 q(r), minimax; optimized for latency, not step count.
  float z = r * r;
  float low = MulAdd(0.16667116f, r, 0.4999923f);
  float high = MulAdd(0.008312501f, r, 0.04189033f);
  float y = MulAdd(MulAdd(high, z, low), z, r + 1.0f);
  // A product rather than a sum of exponents: NaN must stay NaN.
  y *= std::bit_cast<float>(power);
  return d < -87.33f ? 0.0f : y;
}
SL_INLINE double ExpNegative(double d) { return std::exp(d); }

SL_INLINE Lanes<float> ExpNegative(const Lanes<float>& x) {
  using L = Lanes<float>;
  L d = x;
  typedef uint32_t Bits __attribute__((vector_size(L::kPartBytes)));
  const L magic = L::Of(12582912.0f);
  Bits power[L::kParts], tiny[L::kParts];
  Pin(d);
  L t = MulAdd(d, L::Of(1.44269504f), magic);
  Pin(t);
  L::Each([&](int u) {
    power[u] = ((Bits)t.p[u] << 23) + 0x3f800000u;
    tiny[u] = (Bits)(d.p[u] < -87.33f);
  });
  L n = t - magic;
  Pin(n);
#if defined(__FP_FAST_FMAF)
  // The product is exact internally, so one constant for ln2 is enough.
  L r = MulAdd(n, L::Of(-0.693147182f), d);
#else
  L r = MulAdd(n, L::Of(-0.693145751953125f), d);
  r = MulAdd(n, L::Of(-1.42860682030941723e-6f), r);
#endif
  Pin(r);
  L high = MulAdd(r, L::Of(0.008312501f), L::Of(0.04189033f));
  Pin(high);
  L low = MulAdd(r, L::Of(0.16667116f), L::Of(0.4999923f));
  Pin(low);
  L z = r * r, y = r + L::Of(1.0f);
  low = MulAdd(high, z, low);
  Pin(low);
  y = MulAdd(low, z, y);
  Pin(y);
  using Part = L::Part;
  L::Each([&](int u) {
    y.p[u] *= (Part)power[u];
    y.p[u] = (Part)((Bits)y.p[u] & ~tiny[u]);
  });
  return y;
}
SL_INLINE Lanes<double> ExpNegative(const Lanes<double>& d) {
  double v[Lanes<double>::kCount];
  d.Store(v);
  for (double& x : v) x = std::exp(x);
  return Lanes<double>::Load(v);
}

// The maximum of n elements, ignoring NaN; -infinity if there are none.
template <class T, class C = Compute<T>>
SL_INLINE C RowMax(const T* x, int64_t n) {
  using L = Lanes<C>;
  constexpr C kNone = -std::numeric_limits<C>::infinity();
  L a = L::Of(kNone), b = a;
  int64_t i = 0;
  for (; i + 2 * L::kCount <= n; i += 2 * L::kCount) {
    a = Larger(L::Load(x + i), a);
    b = Larger(L::Load(x + i + L::kCount), b);
  }
  for (; i + L::kCount <= n; i += L::kCount) a = Larger(L::Load(x + i), a);
  if (i < n) b = Larger(L::LoadSome(x + i, n - i, kNone), b);
  return Larger(a, b).Largest();
}

// The sum of exp(x[i] - shift) over n elements, none of which exceeds shift;
// with kStore, the exponentials are stored in y, which may be x.
template <bool kStore, class T, class C = Compute<T>>
SL_INLINE C ExpSum(const T* x, int64_t n, C shift, T* y) {
  using L = Lanes<C>;
  const L from = L::Of(shift);
  L sum = L::Of(0);
  int64_t i = 0;
  for (; i + L::kCount <= n; i += L::kCount) {
    L e = ExpNegative(L::Load(x + i) - from);
    if constexpr (kStore) e.Store(y + i);
    sum = sum + e;
  }
  if (i < n) {
    constexpr C kNone = -std::numeric_limits<C>::infinity();
    L e = ExpNegative(L::LoadSome(x + i, n - i, kNone) - from);
    if constexpr (kStore) e.StoreSome(y + i, n - i);
    sum = sum + e;
  }
  return sum.Sum();
}

// The same for n adjacent columns: y[k] = exp(x[k] - shift[k]), added to
// sum[k]. y may be x; without kStore it is not written.
template <bool kStore, class T, class C = Compute<T>>
SL_INLINE void ExpSumStep(const T* x, const C* shift, int64_t n, T* y, C* sum) {
  using L = Lanes<C>;
  int64_t k = 0;
  for (; k + L::kCount <= n; k += L::kCount) {
    L e = ExpNegative(L::Load(x + k) - L::Load(shift + k));
    if constexpr (kStore) e.Store(y + k);
    (L::Load(sum + k) + e).Store(sum + k);
  }
  for (; k < n; ++k) {
    C e = ExpNegative(static_cast<C>(x[k]) - shift[k]);
    if constexpr (kStore) y[k] = static_cast<T>(e);
    sum[k] += e;
  }
}

}  // namespace sluice::rows
