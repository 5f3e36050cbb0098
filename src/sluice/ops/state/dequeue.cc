#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/queue.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Result<Ref<Queue>> queue = ResourceOf<Queue>(ctx);
  if (!queue.ok()) return ctx.Done(queue.status());
  Status claims = CheckClaims(
      ctx, (*queue)->spec().tuple, ctx.attr<std::vector<DType>>("dtypes"),
      ctx.attr<std::vector<PartialShape>>("shapes"), (*queue)->who());
  if (!claims.ok()) return ctx.Done(claims);
  (*queue)->Dequeue(ctx.step().cancellation, ReplyTo(ctx));
}

Status InferShape(ShapeContext& c) { return ClaimedShapes(c, 0, false, 0); }

SL_OP(Dequeue)
    .doc("Takes one element out of a queue; waits while it is empty.")
    .input("handle: resource")
    .output("components: dtypes*")
    .attr("dtypes", AttrKind::kDTypes, "the queue's")
    .attr("shapes", std::vector<PartialShape>(),
          "the queue's, as far as the graph wants to know them")
    .shape(InferShape)
    .cpu_async(Launch)
    .writes()
    .dynamic_output();

}  // namespace
}  // namespace sluice
