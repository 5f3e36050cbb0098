// The CPU kernel every elementwise op shares: a block program of one op over
// its broadcast inputs.
#pragma once

#include <span>

#include "sluice/op/block.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// False when the op has no block function for these dtypes (its own kernel
// must run then). REQUIRES: outputs allocated.
Result<bool> RunElementwise(KernelContext& context);

inline constexpr int64_t kShortRow = 4096;  // elements

// Short rows and single elements, without a program; false when an operand is
// neither or the row is long. REQUIRES: every operand fits `out`.
bool RunShortRow(const BlockKernel& kernel, std::span<const Array* const> in,
                 const Array& out);

// RunElementwise with the block function already chosen.
Status RunBlock(KernelContext& context, const BlockKernel& kernel);

}  // namespace sluice
