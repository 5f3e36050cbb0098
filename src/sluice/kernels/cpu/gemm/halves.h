// Converts contiguous f16 and bf16 to float and back, for packing and for
// rounding sums. Plain functions.
#pragma once

#include "sluice/tensor/half.h"

namespace sluice::gemm {

void Widen(const f16* from, int64_t n, float* to);
void Widen(const bf16* from, int64_t n, float* to);

// GemmKit::Store functions: float sums rounded to half types.
void StoreF16(const void* sums, int64_t n, void* out);
void StoreBF16(const void* sums, int64_t n, void* out);

}  // namespace sluice::gemm
