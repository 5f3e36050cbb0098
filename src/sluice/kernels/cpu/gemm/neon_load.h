// Loads four elements as floats, for NEON loops over f32, f16 and bf16.
// Plain functions.
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include "sluice/kernels/cpu/isa.h"
#include "sluice/tensor/half.h"

namespace sluice::gemm {

SL_INLINE float32x4_t Load4(const float* p) { return vld1q_f32(p); }
SL_INLINE float32x4_t Load4(const bf16* p) {
  uint16x4_t bits = vld1_u16(reinterpret_cast<const uint16_t*>(p));
  return vreinterpretq_f32_u32(vshll_n_u16(bits, 16));
}
SL_INLINE float32x4_t Load4(const f16* p) {
  uint16x4_t bits = vld1_u16(reinterpret_cast<const uint16_t*>(p));
  return vcvt_f32_f16(vreinterpret_f16_u16(bits));
}

}  // namespace sluice::gemm

#endif  // __aarch64__
