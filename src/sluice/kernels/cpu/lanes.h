// Lanes: 64 bytes of numbers processed side by side, 16 floats or 8 doubles,
// for any register size. For sums and maxima, which strict arithmetic does not
// let the compiler vectorize: every lane is a separate sum, and lanes are
// folded pairwise at the end, so that the order depends only on the length.
//
// Plain values; meant for loops compiled per level (kernels/cpu/isa.h), into
// which everything here is inlined.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__GNUC__) && !defined(__clang__)
// Everything is inlined, so the ABI for passing vectors does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace sluice {

template <class C>
struct Lanes {
  static constexpr int kCount = 64 / static_cast<int>(sizeof(C));
#if defined(__aarch64__)
  static constexpr int kParts = 4;  // one register each
#else
  // The compiler splits it to the register size of the level.
  static constexpr int kParts = 1;
#endif
  static constexpr int kPartBytes = 64 / kParts;
  static constexpr int kPerPart = kCount / kParts;
  // Ends of rows are moved in pieces of this many numbers and then one by one:
  // a single loop over all of them becomes a call of memcpy, around which every
  // sum in a register must be saved.
  static constexpr int kPiece = 16 / static_cast<int>(sizeof(C));
  typedef C Part __attribute__((vector_size(kPartBytes)));

  Part p[kParts];

  static SL_INLINE Lanes Of(C v) {
    Lanes r;
    Each([&](int u) { r.p[u] = Part{} + v; });
    return r;
  }
  // Loads kCount numbers from any address.
  template <class T>
  static SL_INLINE Lanes Load(const T* x) {
    Lanes r;
    if constexpr (std::is_same_v<T, C>) {
      __builtin_memcpy(r.p, x, 64);
    } else {
      C wide[kCount];
      for (int k = 0; k < kCount; ++k) wide[k] = static_cast<C>(x[k]);
      __builtin_memcpy(r.p, wide, 64);
    }
    return r;
  }
  // Loads n < kCount numbers; the other lanes hold `fill`.
  template <class T>
  static SL_INLINE Lanes LoadSome(const T* x, int64_t n, C fill) {
    C wide[kCount];
    if constexpr (std::is_same_v<T, C>) {
      for (int k = 0; k < kCount; k += kPiece) {
        if (k + kPiece <= n) {
          __builtin_memcpy(wide + k, x + k, 16);
        } else {
          for (int e = k; e < k + kPiece; ++e) wide[e] = e < n ? x[e] : fill;
        }
      }
    } else {
      for (int k = 0; k < kCount; ++k) wide[k] = fill;
      for (int64_t k = 0; k < n; ++k) wide[k] = static_cast<C>(x[k]);
    }
    return Load(wide);
  }
  template <class T>
  SL_INLINE void Store(T* to) const {
    if constexpr (std::is_same_v<T, C>) {
      __builtin_memcpy(to, p, 64);
    } else {
      StoreSome(to, kCount);
    }
  }
  template <class T>
  SL_INLINE void StoreSome(T* to, int64_t n) const {
    C wide[kCount];
    __builtin_memcpy(wide, p, 64);
    if constexpr (std::is_same_v<T, C>) {
      for (int k = 0; k < kCount; k += kPiece) {
        if (k + kPiece <= n) {
          __builtin_memcpy(to + k, wide + k, 16);
        } else {
          for (int e = k; e < k + kPiece; ++e) {
            if (e < n) to[e] = wide[e];
          }
        }
      }
    } else {
      for (int64_t k = 0; k < n; ++k) to[k] = static_cast<T>(wide[k]);
    }
  }

  // Calls f(part) for each part, in order.
  template <class F>
  static SL_INLINE void Each(F f) {
    for (int u = 0; u < kParts; ++u) f(u);
  }
  friend SL_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes r;
    Each([&](int u) { r.p[u] = a.p[u] + b.p[u]; });
    return r;
  }
  friend SL_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes r;
    Each([&](int u) { r.p[u] = a.p[u] - b.p[u]; });
    return r;
  }
  friend SL_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes r;
    Each([&](int u) { r.p[u] = a.p[u] * b.p[u]; });
    return r;
  }

  SL_INLINE C Sum() const {
    return Fold([](C a, C b) { return a + b; });
  }
  // The maximum lane; NaN only if every lane is.
  SL_INLINE C Largest() const {
    return Fold([](C a, C b) { return a > b || b != b ? a : b; });
  }

 private:
  // Folds lane k with lane k + half, and so on: the same pairs on every
  // machine.
  template <class F>
  SL_INLINE C Fold(F f) const {
    C lane[kCount];
    __builtin_memcpy(lane, p, 64);
    for (int width = kCount / 2; width > 0; width /= 2) {
      for (int k = 0; k < width; ++k) lane[k] = f(lane[k], lane[k + width]);
    }
    return lane[0];
  }
};

// a * b + c, fused if MulAdd of numbers is.
template <class C>
SL_INLINE Lanes<C> MulAdd(const Lanes<C>& a, const Lanes<C>& b,
                          const Lanes<C>& c) {
  Lanes<C> r;
  Lanes<C>::Each([&](int u) {
#if defined(__aarch64__)
    if constexpr (sizeof(C) == 4) {
      r.p[u] = vfmaq_f32(c.p[u], a.p[u], b.p[u]);
    } else {
      r.p[u] = vfmaq_f64(c.p[u], a.p[u], b.p[u]);
    }
#else
    r.p[u] = a.p[u] * b.p[u] + c.p[u];
#endif
  });
  return r;
}

// The maximum of each pair; b's lane if a's is NaN.
template <class C>
SL_INLINE Lanes<C> Larger(const Lanes<C>& a, const Lanes<C>& b) {
  Lanes<C> r;
  Lanes<C>::Each([&](int u) {
#if defined(__aarch64__)
    if constexpr (sizeof(C) == 4) {
      r.p[u] = vmaxnmq_f32(a.p[u], b.p[u]);
    } else {
      r.p[u] = vmaxnmq_f64(a.p[u], b.p[u]);
    }
#else
    r.p[u] = a.p[u] > b.p[u] ? a.p[u] : b.p[u];
#endif
  });
  return r;
}

// Keeps the compiler from moving later instructions before these. Long chains
// written step by step for all parts stay interleaved; executed one after
// another they would fill the scheduler with waiting instructions.
template <class C>
SL_INLINE void Pin(Lanes<C>& v) {
#if defined(__aarch64__)
  for (int u = 0; u < 4; ++u) asm("" : "+w"(v.p[u]));
#else
  (void)v;
#endif
}

}  // namespace sluice
