// Elementwise ops of integers without a result for some operands (division by
// zero), on a GPU: generated from the formula in the op's own file, in the form
// of kernels/cpu/checked_binary.h.
//
// A plain function; any thread.
#pragma once

#include "sluice/op/kernel_context.h"

namespace sluice {

// Inputs 0 and 1 with any strides, broadcast to output 0. Declines ops and
// types without such a formula: the struct OpInt in the op's file.
Status LaunchCheckedInts(KernelContext& ctx);

}  // namespace sluice
