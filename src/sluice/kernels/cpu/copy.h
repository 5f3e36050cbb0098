// Moving elements without looking inside them: the copying fallback of view
// ops, and one value everywhere. CopyRegion, for ops that join, pad or take
// apart, is in tensor/strided.h.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {

// Sets n elements to one value. `value` points at one element.
void FillElements(DType dtype, const void* value, int64_t n, void* to,
                  WorkerPool* pool = nullptr);

// One element of a plain type, made from a number as Cast would.
struct ElementBytes {
  alignas(16) char bytes[16];
};
ElementBytes ElementOf(double value, DType dtype);

// The kernel of a view op: copies what the view shows. Declare
// strided_inputs() with it.
template <ViewFn view>
Status copy_view(KernelContext& ctx) {
  Array shown;
  if (!view(ctx, &shown)) return ctx.Error("cannot be formed from its inputs");
  CopyStrided(shown, ctx.out(0), ctx.step().pool);
  return OkStatus();
}

}  // namespace sluice
