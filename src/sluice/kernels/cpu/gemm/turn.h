// Transposes blocks of 16-bit elements with AVX-512: for panels of matrices
// with the other storage order. Plain functions.
#pragma once

#include <cstdint>

namespace sluice::gemm {

// to[32 * i + p] = from[p * stride + i], for i and p below 32. Needs AVX-512
// BW.
void Turn32x32(const uint16_t* from, int64_t stride, uint16_t* to);

}  // namespace sluice::gemm
