#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  return AsOpError(ctx, variable->Assign(ctx.in(1)));
}

SL_OP(Assign)
    .doc("Gives a variable a new value of its dtype and shape.")
    .input("handle: resource")
    .input("value: T")
    .types("T", kAnyData)
    .shape(shapes::none)
    .cpu(Launch)
    .any_memory()
    .writes();

}  // namespace
}  // namespace sluice
