#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  ctx.out(0).mutable_data<int64_t>()[0] = variable->version();
  return OkStatus();
}

SL_OP(VariableVersion)
    .doc("How many times a variable has been assigned or updated.")
    .input("handle: resource")
    .output("version: i64")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads();

SL_KERNEL(VariableVersion, kSim, {.launch = Launch});

}  // namespace
}  // namespace sluice
