// Matrix products for tensor cores, which are several times as quick where rows
// begin at multiples of 16 bytes and sizes are whole packs: large operands that
// are not so are copied with zeros around them, and the result cut out.
//
// Any thread.
#pragma once

#include "sluice/kernels/cuda/gemm.h"

namespace sluice {

// Errors: as RunGemmByLibrary.
Status RunAlignedGemm(const KernelContext& ctx, const GpuGemm& gemm);

}  // namespace sluice
