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

// One loop. `in`: the operands except literals, in order; `access`: how each is
// read. Outputs are contiguous, with the shape `space` or one element. `live`:
// the flag that a masked loop checks, else null.
struct FusedPart {
  std::span<const FusedAccess> access;
  const void* live = nullptr;
  const Shape& space;
  SmallVector<Array, 6> in, out;
};

// Several parts: `source` is made by FusedBeside, and the parts are
// independent. `pack`: elements per thread and step, where possible.
Status LaunchFused(const KernelContext& ctx, const std::string& source,
                   int pack, std::span<const FusedPart> parts);

}  // namespace sluice
