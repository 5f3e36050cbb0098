// Joins arrays side by side into one, and the reverse, in a few launches for
// any number of arrays.
//
// A plain function; in stream order of the launch; any thread.
#pragma once

#include <span>

#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// `whole` has `rows` rows, each consisting of a row of every part, in order:
// parts are copied to it, or (back) it to them. REQUIRES: all contiguous and of
// one dtype; each part has `rows` rows of at least one element.
Status JoinOnGpu(const KernelContext& ctx, int64_t rows, const Array& whole,
                 std::span<const Array> parts, bool back);

}  // namespace sluice
