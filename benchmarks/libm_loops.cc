#include "benchmarks/libm_loops.h"

#include <cmath>
#include <numbers>

// Calls of the scalar functions of libm, whatever a compiler may know of
// vector libraries.
#if defined(__clang__)
#define SL_SCALAR_LOOP \
  _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define SL_SCALAR_LOOP _Pragma("GCC novector")
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
#undef SL_SCALAR_LOOP  // before g++ 14 such calls are never vectorised
#define SL_SCALAR_LOOP
#endif

namespace sluice::bench {

void LibmExp(const float* x, float* y, int64_t n) {
  SL_SCALAR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i]);
}

void LibmLog(const float* x, float* y, int64_t n) {
  SL_SCALAR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = std::log(x[i]);
}

void LibmTanh(const float* x, float* y, int64_t n) {
  SL_SCALAR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = std::tanh(x[i]);
}

void LibmSigmoid(const float* x, float* y, int64_t n) {
  SL_SCALAR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = 1 / (1 + std::exp(-x[i]));
}

void LibmGelu(const float* x, float* y, int64_t n) {
  constexpr float kHalfRoot = 1 / std::numbers::sqrt2_v<float>;
  SL_SCALAR_LOOP
  for (int64_t i = 0; i < n; ++i) {
    y[i] = 0.5f * x[i] * (1 + std::erf(x[i] * kHalfRoot));
  }
}

}  // namespace sluice::bench
