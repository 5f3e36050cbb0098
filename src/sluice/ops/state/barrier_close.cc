#include "sluice/op/record.h"
#include "sluice/state/barrier.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Barrier> barrier, ResourceOf<Barrier>(ctx));
  barrier->Close(ctx.attr<bool>("cancel_pending"));
  return OkStatus();
}

SL_OP(BarrierClose)
    .doc(
        "Closes a barrier: no new keys; keys already there may still be "
        "completed.")
    .input("handle: resource")
    .attr("cancel_pending", false,
          "whether keys that are not complete are dropped")
    .shape(shapes::none)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
