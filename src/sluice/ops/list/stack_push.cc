#include "sluice/ops/list/list_op.h"
#include "sluice/state/arithmetic.h"
#include "sluice/state/value_stack.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  c.set_out(0, c.in(1));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<ValueStack> stack, ResourceOf<ValueStack>(ctx));
  Result<Array> own = OwnedArray(ctx.in(1));
  if (!own.ok()) return AsOpError(ctx, own.status());
  ctx.set_out(0, *own);
  return AsOpError(ctx, stack->Push(*std::move(own)));
}

SL_OP(StackPush)
    .doc("Puts x on a stack; y is x, there when it has been pushed.")
    .input("handle: resource")
    .input("x: T")
    .output("y: T")
    .types("T", kElements)
    .shape(Infer)
    .no_grad("a stack is changed by it")
    .cpu(Launch)
    .dynamic_output()
    .writes()
    .rejects({{.in = {Array::Handle({}), {2}},
               .message = "[StackPush] handle is empty; wanted a stack"}});

}  // namespace
}  // namespace sluice
