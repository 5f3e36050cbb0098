// Moving elements without looking inside them: the copying fallback of view
// ops, and copies between strided regions for ops that join, pad or take apart.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {

// Copies a region of `shape` from one strided place to another. Pointers are at
// the region's first element. REQUIRES: the regions do not overlap; strings are
// constructed on both sides.
void CopyRegion(DType dtype, const Shape& shape, const void* from,
                const Strides& from_strides, void* to,
                const Strides& to_strides);

// Sets n elements to one value. `value` points at one element.
void FillElements(DType dtype, const void* value, int64_t n, void* to);

// The kernel of a view op: copies what the view shows. Declare
// strided_inputs() with it.
template <ViewFn view>
Status copy_view(KernelContext& ctx) {
  Array shown;
  if (!view(ctx, &shown)) return ctx.Error("cannot be formed from its inputs");
  CopyStrided(shown, ctx.out(0));
  return OkStatus();
}

}  // namespace sluice
