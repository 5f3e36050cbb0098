// Arrays side by side in one, and back, a few launches for any number of them.
//
// A plain function; in the order of the launch's stream; any thread.
#pragma once

#include <span>

#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// `whole` is `rows` rows, each of which is a row of every part, one after the
// other: parts are copied to it, or (back) it to them. REQUIRES: all contiguous
// and of one dtype; each part is `rows` rows of at least one element.
Status JoinOnGpu(const KernelContext& ctx, int64_t rows, const Array& whole,
                 std::span<const Array> parts, bool back);

}  // namespace sluice
