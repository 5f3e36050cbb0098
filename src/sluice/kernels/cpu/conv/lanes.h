// A few vectors of elements, for loops whose sums must stay in registers, which
// compilers do not vectorize well. Plain values.
#pragma once

#include <cstdint>
#include <cstring>

#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace sluice::conv {

// Whether Lanes are as long as the vectors of the machine's tiles. If the
// vectors are two or four times as long, a half-filled tile is no worse.
#if defined(__aarch64__)
inline constexpr bool kLanesFillVectors = true;
#else
inline constexpr bool kLanesFillVectors = false;
#endif

// kCount elements that are added and multiplied at once: 16 bytes, or the
// register size of the level for which a loop is compiled.
template <class C, int kBytes = 16>
struct Lanes {
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(C));
  typedef C Vector __attribute__((vector_size(kBytes)));
  Vector v = {};

  SL_INLINE void Load(const C* p) { std::memcpy(&v, p, kBytes); }
  SL_INLINE void Store(C* p) const { std::memcpy(p, &v, kBytes); }
  // Sets lanes to zero where `keep` is zero.
  SL_INLINE void KeepWhere(const Lanes& keep) {
    v = keep.v != Vector{} ? v : Vector{};
  }
  // *this += a * x, with one rounding if the machine supports it.
  SL_INLINE void AddProduct(C a, const Lanes& x) {
#if defined(__aarch64__)
    if constexpr (sizeof(C) == 4) {
      v = Vector(vfmaq_n_f32(float32x4_t(v), float32x4_t(x.v), a));
    } else {
      v = Vector(vfmaq_n_f64(float64x2_t(v), float64x2_t(x.v), a));
    }
#elif defined(__clang__)
    if constexpr (kBytes > 16) {  // this level has fused operations
      v = __builtin_elementwise_fma(Vector{} + a, x.v, v);
    } else {
      v += x.v * a;
    }
#else
    if constexpr (kBytes > 16) {
      for (int i = 0; i < kCount; ++i) v[i] = sluice::MulAdd(a, x.v[i], v[i]);
    } else {
      v += x.v * a;
    }
#endif
  }
  SL_INLINE void AddProduct(const Lanes& a, const Lanes& x) {
#if defined(__aarch64__)
    if constexpr (sizeof(C) == 4) {
      v = Vector(vfmaq_f32(float32x4_t(v), float32x4_t(a.v), float32x4_t(x.v)));
    } else {
      v = Vector(vfmaq_f64(float64x2_t(v), float64x2_t(a.v), float64x2_t(x.v)));
    }
#else
    v += x.v * a.v;
#endif
  }
};

}  // namespace sluice::conv
