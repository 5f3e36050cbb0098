// Matrix products of floats by cuBLASLt. A plan is created for each combination
// of sizes, types and alignments and kept for the life of the process, because
// programs repeat theirs.
//
// Plain functions; any thread.
#pragma once

#include "sluice/kernels/cuda/gemm.h"

namespace sluice {

// Errors: Unavailable, the library does not exist; Unimplemented, it does not
// support these sizes.
Status RunGemmByLibrary(const KernelContext& ctx, const GpuGemm& gemm);

}  // namespace sluice
