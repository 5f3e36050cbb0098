// Matrix products of floats by cuBLASLt. A plan is made for each combination of
// sizes, types and alignments, and kept for good: programs repeat theirs.
//
// Any thread.
#pragma once

#include "sluice/kernels/cuda/gemm.h"

namespace sluice {

// Errors: Unavailable, there is no such library; Unimplemented, it does not
// take these sizes.
Status RunGemmByLibrary(const KernelContext& ctx, const GpuGemm& gemm);

}  // namespace sluice
