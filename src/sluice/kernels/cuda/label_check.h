// Labels checked by a kernel while it works (source/checks.cuh): the error is
// that of kernels/cpu/labels.h, reported after the launch.
//
// A plain function; any thread.
#pragma once

#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// The slot for a kernel to report to: the position of the label, and its value.
// `ignored` may be null. Call CheckIssued after the launch.
CUdeviceptr TakeLabelCheck(const KernelContext& ctx, int input, int64_t classes,
                           const int64_t* ignored);

}  // namespace sluice
