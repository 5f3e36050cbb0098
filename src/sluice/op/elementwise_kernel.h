// The CPU kernel every elementwise op shares: a block program of one op over
// its broadcast inputs.
#pragma once

#include "sluice/op/block.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// False when the op has no block function for these dtypes (its own kernel
// must run then). REQUIRES: outputs allocated.
Result<bool> RunElementwise(KernelContext& context);

// The same with the block function already chosen.
Status RunBlock(KernelContext& context, const BlockKernel& kernel);

}  // namespace sluice
