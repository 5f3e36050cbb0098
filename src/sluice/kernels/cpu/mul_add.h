// a * b + c, rounded once where the machine does that in one instruction, twice
// elsewhere. The compiler is told never to choose by itself, so this is the one
// place where results may differ in the last bit between kinds of machines.
#pragma once

#include <cstdint>

namespace sluice {

inline __attribute__((always_inline)) float MulAdd(float a, float b, float c) {
#if defined(__FP_FAST_FMAF)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

inline __attribute__((always_inline)) double MulAdd(double a, double b,
                                                    double c) {
#if defined(__FP_FAST_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

inline uint32_t MulAdd(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }
inline uint64_t MulAdd(uint64_t a, uint64_t b, uint64_t c) { return a * b + c; }

}  // namespace sluice
