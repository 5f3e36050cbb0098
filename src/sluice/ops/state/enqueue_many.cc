#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/queue.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Result<Ref<Queue>> queue = ResourceOf<Queue>(ctx);
  if (!queue.ok()) return ctx.Done(queue.status());
  std::span<const Array> components(&ctx.in(0) + 1,
                                    static_cast<size_t>(ctx.num_inputs() - 1));
  (*queue)->EnqueueMany(components, ctx.step().cancellation, ReplyTo(ctx));
}

Status InferShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    SL_RETURN_IF_ERROR(c.WantRankAtLeast(i, 1));
  }
  return OkStatus();
}

SL_OP(EnqueueMany)
    .doc(
        "Puts the elements of a batch (axis 0 of every component) into a "
        "queue, one after another; waits while it is full.")
    .input("handle: resource")
    .input("components: any*")
    .shape(InferShape)
    .cpu_async(Launch)
    .writes();

}  // namespace
}  // namespace sluice
