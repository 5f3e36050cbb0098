#include "sluice/op/record.h"
#include "sluice/state/barrier.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Barrier> barrier, ResourceOf<Barrier>(ctx));
  ctx.out(0).mutable_data<int64_t>()[0] = barrier->ready_size();
  return OkStatus();
}

SL_OP(BarrierReadySize)
    .doc("How many keys of a barrier are complete and not yet taken.")
    .input("handle: resource")
    .output("size: i64")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads()
    .rejects({{.in = {},
               .message = "[BarrierReadySize] takes 1 input, got 0"}});

}  // namespace
}  // namespace sluice
