// Compiles plain C++ loops for this machine: one source, compiled for each
// level of CpuLevel, selected at run time. Stateless; any thread.
//
//   struct ScaleLoop {
//     static void Run(float* y, float a, int64_t n) {
//       SL_VECTORIZE
//       for (int64_t i = 0; i < n; ++i) y[i] *= a;
//     }
//   };
//   isa::Call<ScaleLoop>(y, a, n);
//
// Everything that Run calls must be inlined (templates and functions in
// headers, marked SL_INLINE if large): a remaining call runs baseline code.
// Arguments are passed by value: pointers and numbers. Kernels written with
// intrinsics check Cpu() themselves.
#pragma once

#include "sluice/base/cpu_features.h"

#define SL_INLINE inline __attribute__((always_inline))

#if defined(__clang__)
// A loop that should vectorize but calls the C library stays scalar, as
// expected. The compiler warns about it here, where Run is called.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#if defined(__x86_64__)
#define SL_TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))
#define SL_TARGET_AVX512 \
  __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")))
#endif

namespace sluice::isa {

#if defined(__x86_64__)
template <class Loop, class... Args>
SL_TARGET_AVX512 __attribute__((flatten)) auto RunAvx512(Args... args) {
  return Loop::Run(args...);
}
template <class Loop, class... Args>
SL_TARGET_AVX2 __attribute__((flatten)) auto RunAvx2(Args... args) {
  return Loop::Run(args...);
}
#endif
template <class Loop, class... Args>
__attribute__((flatten)) auto RunBaseline(Args... args) {
  return Loop::Run(args...);
}

// The version of Loop::Run for this machine, as a function pointer:
//   BlockFn fn = isa::Pick<Loop, void*, const void* const*, int64_t>();
template <class Loop, class... Args>
auto Pick() {
#if defined(__x86_64__)
  switch (Cpu().level) {
    case CpuLevel::kAvx512:
      return &RunAvx512<Loop, Args...>;
    case CpuLevel::kAvx2:
      return &RunAvx2<Loop, Args...>;
    case CpuLevel::kBaseline:
      break;
  }
#endif
  return &RunBaseline<Loop, Args...>;
}

template <class Loop, class... Args>
auto Call(Args... args) {
  return Pick<Loop, Args...>()(args...);
}

}  // namespace sluice::isa
