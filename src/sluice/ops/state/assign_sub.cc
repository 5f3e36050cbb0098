#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  return AsOpError(ctx, variable->Subtract(ctx.in(1)));
}

SL_OP(AssignSub)
    .doc("Subtracts from a variable. Concurrent subtractions all count.")
    .input("handle: resource")
    .input("value: T")
    .types("T", kNumbers)
    .shape(shapes::none)
    .cpu(Launch)
    .writes()
    .rejects({{.in = {}, .message = "[AssignSub] takes 2 inputs, got 0"},
              {.in = {{2}, {2}},
               .message = "[AssignSub] handle is f32; wanted resource"}});

// The variable has its device add (tensor/remote_work.h).
SL_KERNEL(AssignSub, kCuda, Kernel{.launch = Launch});
SL_KERNEL(AssignSub, kSim, {.launch = Launch});

}  // namespace
}  // namespace sluice
