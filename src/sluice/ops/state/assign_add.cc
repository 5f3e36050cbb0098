#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  return AsOpError(ctx, variable->Add(ctx.in(1)));
}

SL_OP(AssignAdd)
    .doc("Adds to a variable. Concurrent additions all count.")
    .input("handle: resource")
    .input("value: T")
    .types("T", kNumbers)
    .shape(shapes::none)
    .cpu(Launch)
    .writes()
    .rejects({{.in = {}, .message = "[AssignAdd] takes 2 inputs, got 0"},
              {.in = {{2}, {2}},
               .message = "[AssignAdd] handle is f32; wanted resource"}});

// The variable has its device add (tensor/remote_work.h).
SL_KERNEL(AssignAdd, kCuda, Kernel{.launch = Launch});
SL_KERNEL(AssignAdd, kSim, {.launch = Launch});

}  // namespace
}  // namespace sluice
