#include "sluice/kernels/cpu/gemm/halves.h"

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sluice::gemm {

namespace {

template <class From, class To>
struct Convert {
  static SL_INLINE void Run(const From* from, int64_t n, To* to) {
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      to[i] = static_cast<To>(static_cast<float>(from[i]));
    }
  }
};

#if defined(__x86_64__)
SL_TARGET_AVX2 int64_t WidenF16C(const f16* from, int64_t n, float* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(h));
  }
  return i;
}
SL_TARGET_AVX2 int64_t NarrowF16C(const float* from, int64_t n, f16* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i h =
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), h);
  }
  return i;
}
#endif

}  // namespace

void Widen(const f16* from, int64_t n, float* to) {
  int64_t i = 0;
#if defined(__aarch64__)
  for (; i + 4 <= n; i += 4) {
    float16x4_t h = vreinterpret_f16_u16(
        vld1_u16(reinterpret_cast<const uint16_t*>(from + i)));
    vst1q_f32(to + i, vcvt_f32_f16(h));
  }
#elif defined(__x86_64__)
  if (Cpu().level >= CpuLevel::kAvx2) i = WidenF16C(from, n, to);
#endif
  for (; i < n; ++i) to[i] = from[i];
}

void Widen(const bf16* from, int64_t n, float* to) {
  isa::Call<Convert<bf16, float>>(from, n, to);
}

void StoreF16(const void* sums, int64_t n, void* out) {
  const float* from = static_cast<const float*>(sums);
  f16* to = static_cast<f16*>(out);
  int64_t i = 0;
#if defined(__aarch64__)
  for (; i + 4 <= n; i += 4) {
    float16x4_t h = vcvt_f16_f32(vld1q_f32(from + i));
    vst1_u16(reinterpret_cast<uint16_t*>(to + i), vreinterpret_u16_f16(h));
  }
#elif defined(__x86_64__)
  if (Cpu().level >= CpuLevel::kAvx2) i = NarrowF16C(from, n, to);
#endif
  for (; i < n; ++i) to[i] = f16(from[i]);
}

void StoreBF16(const void* sums, int64_t n, void* out) {
  isa::Call<Convert<float, bf16>>(static_cast<const float*>(sums), n,
                                  static_cast<bf16*>(out));
}

}  // namespace sluice::gemm
