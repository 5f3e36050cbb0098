// AssignAdd and AssignSub.
#include "sluice/op/record.h"
#include "sluice/ops/family.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"

namespace sluice {
namespace {

template <Status (Variable::*kChange)(const Array&)>
Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  return AsOpError(ctx, (*variable.*kChange)(ctx.in(1)));
}

OpDefinition& AssignBy(OpDefinition&& op, std::string_view) {
  return op.input("handle: resource")
      .input("value: T")
      .types("T", kNumbers)
      .shape(shapes::none)
      .writes();
}

}  // namespace

SL_OP_OF(AssignAdd, AssignBy)
    .doc("Adds to a variable. Concurrent additions all count.")
    .cpu(Launch<&Variable::Add>);

SL_OP_OF(AssignSub, AssignBy)
    .doc("Subtracts from a variable. Concurrent subtractions all count.")
    .cpu(Launch<&Variable::Subtract>);

// The device of the variable adds (tensor/remote_work.h).
SL_KERNEL(AssignAdd, kCuda, Kernel{.launch = Launch<&Variable::Add>});
SL_KERNEL(AssignAdd, kSim, {.launch = Launch<&Variable::Add>});
SL_KERNEL(AssignSub, kCuda, Kernel{.launch = Launch<&Variable::Subtract>});
SL_KERNEL(AssignSub, kSim, {.launch = Launch<&Variable::Subtract>});

}  // namespace sluice
