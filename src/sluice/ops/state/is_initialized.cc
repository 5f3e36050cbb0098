#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  ctx.out(0).mutable_data<bool>()[0] = variable->initialized();
  return OkStatus();
}

SL_OP(IsInitialized)
    .doc("Whether a variable has been given a value.")
    .input("handle: resource")
    .output("initialized: bool")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads();

SL_KERNEL(IsInitialized, kSim, {.launch = Launch});

}  // namespace
}  // namespace sluice
