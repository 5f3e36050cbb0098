#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/queue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Queue> queue, ResourceOf<Queue>(ctx));
  queue->Close(ctx.attr<bool>("cancel_pending"));
  return OkStatus();
}

SL_OP(QueueClose)
    .doc(
        "Closes a queue: later enqueues fail, dequeues get what is left and "
        "then fail.")
    .input("handle: resource")
    .attr("cancel_pending", false, "whether enqueues that wait now fail too")
    .shape(shapes::none)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
