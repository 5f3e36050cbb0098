// The maximum and minimum of rows of floats where one instruction computes it,
// including NaN: aarch64. Other machines use reduce.h's loop of comparisons.
// Plain functions.
#pragma once

#include "sluice/kernels/cpu/reduce.h"

#if defined(__aarch64__)
#include <arm_neon.h>

namespace sluice {

// R: the reducer, whose Step handles the last few elements.
template <class R, bool kLargest>
struct ExtremeRows {
  static SL_INLINE float32x4_t Of(float32x4_t a, float32x4_t b) {
    return kLargest ? vmaxq_f32(a, b) : vminq_f32(a, b);
  }
  static void Run(const void* data, int64_t rows, int64_t n, void* result,
                  const BlockParams&) {
    const float* x = static_cast<const float*>(data);
    float* acc = static_cast<float*>(result);
    for (int64_t r = 0; r < rows; ++r, x += n) {
      float32x4_t v[8];
      for (float32x4_t& u : v) u = vdupq_n_f32(R::Start());
      int64_t i = 0;
      for (; i + 32 <= n; i += 32) {
        for (int k = 0; k < 8; ++k) v[k] = Of(v[k], vld1q_f32(x + i + 4 * k));
      }
      for (; i + 4 <= n; i += 4) v[0] = Of(v[0], vld1q_f32(x + i));
      for (int k = 0; k < 4; ++k) v[k] = Of(v[k], v[k + 4]);
      v[0] = Of(Of(v[0], v[1]), Of(v[2], v[3]));
      float best = kLargest ? vmaxvq_f32(v[0]) : vminvq_f32(v[0]);
      for (; i < n; ++i) best = R::Step(best, x[i]);
      acc[r] = best;
    }
  }
};

}  // namespace sluice
#endif
