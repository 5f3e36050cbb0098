// a * b + c with one rounding on every machine, so results are the same bits
// everywhere. One instruction on aarch64 and in code compiled for AVX2 and
// above (kernels/cpu/isa.h). An x86 processor without FMA makes a library call
// per element, which is slow and accepted: such processors are from before
// 2013. Plain functions.
#pragma once

#include <cstdint>

namespace sluice {

inline __attribute__((always_inline)) float MulAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline __attribute__((always_inline)) double MulAdd(double a, double b,
                                                    double c) {
  return __builtin_fma(a, b, c);
}

inline uint32_t MulAdd(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }
inline uint64_t MulAdd(uint64_t a, uint64_t b, uint64_t c) { return a * b + c; }

}  // namespace sluice
