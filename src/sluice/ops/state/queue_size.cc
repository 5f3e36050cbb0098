#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/queue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Queue> queue, ResourceOf<Queue>(ctx));
  ctx.out(0).mutable_data<int64_t>()[0] = queue->size();
  return OkStatus();
}

SL_OP(QueueSize)
    .doc("How many elements are in a queue.")
    .input("handle: resource")
    .output("size: i64")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads();

}  // namespace
}  // namespace sluice
