// Formulas over several vectors at a time, step by step. A formula is written
// once, over a type F:
//
//   template <class F>
//   F Tail(F r) {
//     return MulAdd(0.0083599966f, r, Term<0.0416584462f>());
//   }
//
// F is float, for single numbers and for loops that the compiler vectorizes;
// or, with NEON, a Wave<N>: N registers of four floats, where each step runs
// for all of them before the next step. The bits are the same.
//
// A Wave expresses what a loop over floats cannot. NEON's multiply-add
// overwrites its addend, and copying constant addends would take every fifth
// slot of the arithmetic units. Instead a Term is loaded from memory each time,
// by units that are otherwise idle. Pin keeps the steps in order. Together they
// make exp a seventh faster on a Neoverse V1.
//
// Plain values; everything is inlined.
#pragma once

#include <bit>
#include <cstdint>

#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace sluice {

// A constant addend.
template <float kValue>
struct Term {
  SL_INLINE operator float() const { return kValue; }
};

// Helpers of steps besides arithmetic, for one number.
SL_INLINE void Pin(float&) {}
SL_INLINE uint32_t BitsOf(float x) { return std::bit_cast<uint32_t>(x); }
SL_INLINE float FloatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
SL_INLINE float SignedToFloat(uint32_t bits) {
  return static_cast<float>(static_cast<int32_t>(bits));
}
// x, or -0 if it is negative; zeros keep their sign.
SL_INLINE float NotBelowZero(float x) { return x < 0.0f ? -0.0f : x; }

#if defined(__aarch64__)

#define SL_EACH for (int k = 0; k < N; ++k)

template <int N>
struct WaveBits {
  uint32x4_t v[N];

  friend SL_INLINE WaveBits operator+(WaveBits a, const WaveBits& b) {
    SL_EACH a.v[k] += b.v[k];
    return a;
  }
  friend SL_INLINE WaveBits operator-(WaveBits a, const WaveBits& b) {
    SL_EACH a.v[k] -= b.v[k];
    return a;
  }
  friend SL_INLINE WaveBits operator-(WaveBits a, uint32_t b) {
    SL_EACH a.v[k] -= b;
    return a;
  }
  friend SL_INLINE WaveBits operator&(WaveBits a, uint32_t b) {
    SL_EACH a.v[k] &= b;
    return a;
  }
  friend SL_INLINE WaveBits operator<<(WaveBits a, int b) {
    SL_EACH a.v[k] <<= b;
    return a;
  }
};

template <int N>
struct Wave {
  static constexpr int kFloats = 4 * N;
  float32x4_t v[N];

  static SL_INLINE Wave Load(const float* x) {
    Wave r;
    SL_EACH r.v[k] = vld1q_f32(x + 4 * k);
    return r;
  }
  SL_INLINE void Store(float* y) const { SL_EACH vst1q_f32(y + 4 * k, v[k]); }
  template <float kValue>
  static SL_INLINE Wave Of(Term<kValue>) {
    alignas(16) static constexpr float kVector[] = {kValue, kValue, kValue,
                                                    kValue};
    Wave r;
    SL_EACH {
      const float* p = kVector;
      // Hides that the address is the same, which forces a new load.
      asm volatile("" : "+r"(p));
      r.v[k] = vld1q_f32(p);
    }
    return r;
  }

  friend SL_INLINE Wave operator+(Wave a, float b) {
    SL_EACH a.v[k] += b;
    return a;
  }
  friend SL_INLINE Wave operator+(float a, const Wave& b) { return b + a; }
  friend SL_INLINE Wave operator-(Wave a, float b) {
    SL_EACH a.v[k] -= b;
    return a;
  }
  friend SL_INLINE Wave operator-(Wave a, const Wave& b) {
    SL_EACH a.v[k] -= b.v[k];
    return a;
  }
  friend SL_INLINE Wave operator-(Wave a) {
    SL_EACH a.v[k] = -a.v[k];
    return a;
  }
  friend SL_INLINE Wave operator*(Wave a, const Wave& b) {
    SL_EACH a.v[k] *= b.v[k];
    return a;
  }
  friend SL_INLINE Wave operator*(float a, Wave b) {
    SL_EACH b.v[k] *= a;
    return b;
  }
  friend SL_INLINE Wave operator/(float a, Wave b) {
    SL_EACH b.v[k] = a / b.v[k];
    return b;
  }
  friend SL_INLINE Wave MulAdd(const Wave& a, const Wave& b, Wave c) {
    SL_EACH c.v[k] = vfmaq_f32(c.v[k], a.v[k], b.v[k]);
    return c;
  }
  friend SL_INLINE Wave MulAdd(float a, const Wave& b, Wave c) {
    SL_EACH c.v[k] = vfmaq_n_f32(c.v[k], b.v[k], a);
    return c;
  }
  template <float kValue>
  friend SL_INLINE Wave MulAdd(float a, const Wave& b, Term<kValue> c) {
    return MulAdd(a, b, Of(c));
  }
  template <float kValue>
  friend SL_INLINE Wave MulAdd(const Wave& a, const Wave& b, Term<kValue> c) {
    return MulAdd(a, b, Of(c));
  }

  friend SL_INLINE void Pin(Wave& a) {
    SL_EACH asm volatile("" : "+w"(a.v[k]));
  }
  friend SL_INLINE WaveBits<N> BitsOf(const Wave& a) {
    WaveBits<N> r;
    SL_EACH r.v[k] = vreinterpretq_u32_f32(a.v[k]);
    return r;
  }
  friend SL_INLINE Wave NotBelowZero(Wave a) {
    SL_EACH a.v[k] = vmaxq_f32(a.v[k], vdupq_n_f32(-0.0f));
    return a;
  }
};

template <int N>
SL_INLINE Wave<N> FloatOf(const WaveBits<N>& bits) {
  Wave<N> r;
  SL_EACH r.v[k] = vreinterpretq_f32_u32(bits.v[k]);
  return r;
}
template <int N>
SL_INLINE Wave<N> SignedToFloat(const WaveBits<N>& bits) {
  Wave<N> r;
  SL_EACH r.v[k] = vcvtq_f32_s32(vreinterpretq_s32_u32(bits.v[k]));
  return r;
}

#undef SL_EACH

#endif

}  // namespace sluice
