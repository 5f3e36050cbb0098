// Launching a fused loop (fused_source.h).
//
// Any thread.
#pragma once

#include <span>
#include <string>

#include "sluice/base/small_vector.h"
#include "sluice/gpu/fused_source.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// One loop. `in`: the operands apart from literals, in order; `access`: how
// each is read. Outputs are contiguous, of the shape `space` or single numbers.
// `live`: the flag that a masked loop asks, else null.
struct FusedPart {
  std::span<const FusedAccess> access;
  const void* live = nullptr;
  const Shape& space;
  SmallVector<Array, 6> in, out;
};

// Several parts: `source` is one of FusedBeside, and they have nothing to do
// with each other. `pack`: elements a thread takes at a time where it can.
Status LaunchFused(const KernelContext& ctx, const std::string& source,
                   int pack, std::span<const FusedPart> parts);

}  // namespace sluice
