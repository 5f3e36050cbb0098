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
  (*queue)->Enqueue(components, ctx.step().cancellation, ReplyTo(ctx));
}

SL_OP(Enqueue)
    .doc("Puts one element into a queue; waits while it is full.")
    .input("handle: resource")
    .input("components: any*")
    .shape(shapes::none)
    .cpu_async(Launch)
    .writes();

}  // namespace
}  // namespace sluice
