// Elementwise ops of integers that have no result for some operands (division
// by zero), on a GPU: made of the formula in the op's own file, as
// kernels/cpu/checked_binary.h has it.
//
// A plain function; any thread.
#pragma once

#include "sluice/op/kernel_context.h"

namespace sluice {

// Input 0 and 1, of any strides, broadcast to output 0. Declines ops and types
// that have no such formula: the struct OpInt in the op's file.
Status LaunchCheckedInts(KernelContext& ctx);

}  // namespace sluice
