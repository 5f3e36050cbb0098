// Copies several dense arrays in one launch: carried values move to their slots
// if the loop continues.
//
// Any thread.
#pragma once

#include <span>

#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// `live`: a flag in GPU memory; nothing is written while it is unset. Null:
// always. REQUIRES: dense arrays of equal sizes in pairs; no target overlaps
// another array.
Status LaunchMoves(const KernelContext& ctx, const void* live,
                   std::span<const Array> from, std::span<const Array> to);

}  // namespace sluice
