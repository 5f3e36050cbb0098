// Moves elements without interpreting them: the copying fallback of view ops,
// and fills. CopyRegion, for ops that join, pad or split, is in
// tensor/strided.h. Plain functions; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {

// Sets n elements to one value. `value` points at one element.
void FillElements(DType dtype, const void* value, int64_t n, void* to,
                  WorkerPool* pool = nullptr);

// One element of a plain type, converted from a number like Cast.
struct ElementBytes {
  alignas(16) char bytes[16];
};
ElementBytes ElementOf(double value, DType dtype);

// The kernel of a view op: copies the elements of the view. Declare
// strided_inputs() with it.
template <ViewFn view>
Status copy_view(KernelContext& ctx) {
  Array shown;
  if (!view(ctx, &shown)) return ctx.Error("cannot be formed from its inputs");
  CopyStrided(shown, ctx.out(0), ctx.step().pool);
  return OkStatus();
}

}  // namespace sluice
