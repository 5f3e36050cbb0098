// Launching a fused loop (fused_source.h).
//
// Any thread.
#pragma once

#include <span>
#include <string>

#include "sluice/gpu/fused_source.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// `in`: the operands apart from literals, in order; `access`: how each is
// read. Outputs are contiguous, of the shape `space` or single numbers. `pack`:
// elements a thread takes at a time where it can. `live`: the flag that a
// masked loop asks, else null.
Status LaunchFused(const KernelContext& ctx, const std::string& source,
                   std::span<const FusedAccess> access, int pack,
                   const void* live, const Shape& space,
                   std::span<const Array> in, std::span<const Array> out);

}  // namespace sluice
