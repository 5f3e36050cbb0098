#include "sluice/base/strings.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/state/value_stack.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  c.set_out(0, c.attr<PartialShape>("shape"));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<ValueStack> stack, ResourceOf<ValueStack>(ctx));
  DType dtype = ctx.attr<DType>("dtype");
  if (stack->dtype() != dtype) {
    return ctx.Error(StrCat("handle is a ", stack->Describe(), "; wanted ",
                            DTypeName(dtype), " as the attribute dtype says"));
  }
  Result<Array> value = stack->Pop();
  if (!value.ok()) return AsOpError(ctx, value.status());
  const auto& shape = ctx.attr<PartialShape>("shape");
  if (!shape.Covers(value->shape())) {
    return ctx.Error(StrCat("the value is ", value->TypeText(), "; wanted ",
                            TypeText(dtype, shape)));
  }
  ctx.set_out(0, *std::move(value));
  return OkStatus();
}

SL_OP(StackPop)
    .doc("Takes the value pushed last off a stack.")
    .input("handle: resource")
    .output("y: dtype")
    .attr("dtype", AttrKind::kDType, "Of the stack's values.")
    .attr("shape", PartialShape(), "What is known of the value's shape.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .writes()
    .rejects({{.in = {Array::Handle({})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[StackPop] handle is empty; wanted a stack"}});

}  // namespace
}  // namespace sluice
