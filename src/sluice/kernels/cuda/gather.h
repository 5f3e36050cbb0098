// Rows picked by index on a GPU, as kernels/cpu/gather.h does it.
//
// A plain function; in the order of the launch's stream; any thread.
#pragma once

#include "sluice/kernels/cpu/gather.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// to[o][i] = from[o][index[i]], everything in the GPU's memory. Rows with an
// index outside [0, size) are 0 and, where a slot is given (index_checks.h),
// told.
Status GatherRowsOnGpu(const KernelContext& ctx, const RowPick& pick,
                       const void* from, DType index_dtype, const void* index,
                       CUdeviceptr check, void* to);

}  // namespace sluice
