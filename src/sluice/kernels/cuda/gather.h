// Gathers rows by index on a GPU, as kernels/cpu/gather.h does.
//
// A plain function; in stream order of the launch; any thread.
#pragma once

#include "sluice/kernels/cpu/gather.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// to[o][i] = from[o][index[i]], all in GPU memory. Rows with an index outside
// of [0, size) are 0 and, if a slot is given (index_checks.h), reported.
Status GatherRowsOnGpu(const KernelContext& ctx, const RowPick& pick,
                       const void* from, DType index_dtype, const void* index,
                       CUdeviceptr check, void* to);

}  // namespace sluice
