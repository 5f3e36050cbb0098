// Several dense arrays moved by one launch: what a loop carries goes to its
// place, if the loop goes on.
//
// Any thread.
#pragma once

#include <span>

#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// `live`: a flag in the GPU's memory without which nothing is written; null:
// always. REQUIRES: dense arrays of equal sizes in pairs; no target overlaps
// another array.
Status LaunchMoves(const KernelContext& ctx, const void* live,
                   std::span<const Array> from, std::span<const Array> to);

}  // namespace sluice
