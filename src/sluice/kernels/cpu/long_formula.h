// Generates block functions of long formulas, such as those of vector_math.h:
//
//   struct ExpFn : LongFormula {
//     template <class C>
//     static C Apply(C x) { return vmath::Exp(x); }
//     // Optional: what does for a stretch whose floats all have
//     // Distance(x) <= kNear. It must give the same bits as Apply.
//     static constexpr uint32_t kNear = vmath::kExpNear;
//     static uint32_t Distance(float x) { return vmath::Distance(x); }
//     template <class F>
//     static F Near(F x) { return vmath::ExpNear(x); }
//     // Optional: Near also takes Waves, best of so many vectors (wave.h).
//     static constexpr int kWave = 8;
//   };
//   ... .elementwise(long_block<ExpFn>)
//
// Several vectors are processed at a time, because each step of a formula waits
// for the previous one; a partial group is padded rather than processed one by
// one. Half types are widened to a buffer of floats first, so that a formula is
// compiled once for all of them. Stateless; any thread.
#pragma once

#include <algorithm>
#include <cstring>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/wave.h"

namespace sluice {

namespace long_formula {

template <class F>
struct FloatLoop {
  static constexpr bool kHasNear = requires { F::kNear; };
  // Floats; divisible into vectors of every level.
  static constexpr int64_t kGroup = 16;
#if defined(__aarch64__)
  static constexpr bool kWaves = true;
  static constexpr int64_t kVector = 4;
#else
  static constexpr bool kWaves = false;
  static constexpr int64_t kVector = 16;
#endif
  static constexpr bool kHasWave = kWaves && requires { F::kWave; };
  // Floats processed at a time.
  static constexpr int64_t kMain = [] {
    if constexpr (kHasWave) return kVector * F::kWave;
    return kVector * F::kInterleave;
  }();
  // Short enough for the second pass to read from the first-level cache.
  static constexpr int64_t kStretch = 512 / kMain * kMain;

  template <bool kUseNear>
  static SL_INLINE float One(float x) {
    if constexpr (kUseNear) {
      return F::Near(x);
    } else {
      return F::Apply(x);
    }
  }
#if defined(__aarch64__)
  // For n >= kMain. The rest after the last wave is processed together with
  // elements that are computed twice; it is read first, since y may be x.
  static SL_INLINE void Waves(const float* x, float* y, int64_t n) {
    using W = Wave<F::kWave>;
    W last = W::Load(x + n - kMain);
    int64_t i = 0;
    for (; i + kMain <= n; i += kMain) F::Near(W::Load(x + i)).Store(y + i);
    if (i < n) F::Near(last).Store(y + n - kMain);
  }
#endif
  template <bool kUseNear>
  static SL_INLINE void Groups(const float* x, float* y, int64_t n) {
    int64_t main = n / kMain * kMain;
#if defined(__aarch64__)
    if constexpr (kUseNear && kHasWave) {
      if (main > 0) return Waves(x, y, n);
    }
#endif
    SL_VECTORIZE_BY(F::kInterleave)
    for (int64_t i = 0; i < main; ++i) y[i] = One<kUseNear>(x[i]);
    for (int64_t i = main; i < n; i += kGroup) {
      int64_t m = std::min(kGroup, n - i);
      float group[kGroup] = {};
      std::memcpy(group, x + i, static_cast<size_t>(m) * sizeof(float));
      SL_VECTORIZE_BY(4)
      for (int64_t k = 0; k < kGroup; ++k) group[k] = One<kUseNear>(group[k]);
      std::memcpy(y + i, group, static_cast<size_t>(m) * sizeof(float));
    }
  }
  static SL_INLINE bool AllNear(const float* x, int64_t n) {
    uint32_t far = 0;
    SL_VECTORIZE_BY(4)
    for (int64_t i = 0; i < n; ++i) {
      uint32_t d = F::Distance(x[i]);
      far = far > d ? far : d;
    }
    return far <= F::kNear;
  }
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    const float* x = static_cast<const float*>(in[0]);
    float* y = static_cast<float*>(out);
    // A scalar, e.g. of a loop: padded to a group it takes twice as long.
    if (n == 1) {
      y[0] = F::Apply(x[0]);
      return;
    }
    if constexpr (kHasNear) {
      for (int64_t i = 0; i < n; i += kStretch) {
        int64_t m = std::min(kStretch, n - i);
        if (AllNear(x + i, m)) {
          Groups<true>(x + i, y + i, m);
        } else {
          SL_VECTORIZE_BY(F::kInterleave)
          for (int64_t k = i; k < i + m; ++k) y[k] = F::Apply(x[k]);
        }
      }
    } else {
      Groups<false>(x, y, n);
    }
  }
};

template <class F, class T>
struct HalfLoop {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams& params) {
    constexpr int64_t kMain = FloatLoop<F>::kMain;
    constexpr int64_t kStretch = (256 + kMain - 1) / kMain * kMain;
    const T* x = static_cast<const T*>(in[0]);
    T* y = static_cast<T*>(out);
    BlockFn run = PickLevel<FloatLoop<F>>();
    for (int64_t i = 0; i < n; i += kStretch) {
      float wide[kStretch];
      const void* from[] = {wide};
      int64_t m = std::min(kStretch, n - i);
      SL_VECTORIZE
      for (int64_t k = 0; k < m; ++k) wide[k] = static_cast<float>(x[i + k]);
      run(wide, from, m, params);
      SL_VECTORIZE
      for (int64_t k = 0; k < m; ++k) y[i + k] = static_cast<T>(wide[k]);
    }
  }
};

}  // namespace long_formula

// y: T from x: T, where T is one of the four floating-point types.
template <class F>
BlockKernel long_block(const Attrs&, std::span<const DType> in, DType) {
  BlockKernel kernel;
  kernel.formula = FormulaName<F>();
  switch (in[0]) {
    case DType::kF32:
      kernel.fn = PickLevel<long_formula::FloatLoop<F>>();
      break;
    case DType::kF64:
      kernel.fn = &elementwise::Unary<F, double, double>::Run;
      break;
    case DType::kF16:
      kernel.fn = PickLevel<long_formula::HalfLoop<F, f16>>();
      break;
    case DType::kBF16:
      kernel.fn = PickLevel<long_formula::HalfLoop<F, bf16>>();
      break;
    default:
      break;
  }
  return kernel;
}

}  // namespace sluice
