// Math functions one number at a time through the C library: the opponent of
// the vectorised ones.
#pragma once

#include <cstdint>

namespace sluice::bench {

using LibmLoop = void (*)(const float* x, float* y, int64_t n);

void LibmExp(const float* x, float* y, int64_t n);
void LibmLog(const float* x, float* y, int64_t n);
void LibmTanh(const float* x, float* y, int64_t n);
void LibmSigmoid(const float* x, float* y, int64_t n);
void LibmGelu(const float* x, float* y, int64_t n);  // with the error function

}  // namespace sluice::bench
