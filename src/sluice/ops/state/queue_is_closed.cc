#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/queue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Queue> queue, ResourceOf<Queue>(ctx));
  ctx.out(0).mutable_data<bool>()[0] = queue->closed();
  return OkStatus();
}

SL_OP(QueueIsClosed)
    .doc("Whether a queue has been closed.")
    .input("handle: resource")
    .output("closed: bool")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads();

}  // namespace
}  // namespace sluice
