// Matrix products for tensor cores, which are several times as fast if rows
// start at multiples of 16 bytes and sizes are multiples of their blocks. Large
// operands that do not meet this are copied with zero padding, and the result
// is cut out.
//
// Plain functions; any thread.
#pragma once

#include "sluice/kernels/cuda/gemm.h"

namespace sluice {

// Errors: as RunGemmByLibrary.
Status RunAlignedGemm(const KernelContext& ctx, const GpuGemm& gemm);

}  // namespace sluice
