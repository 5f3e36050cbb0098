// StepStack: creates a stack. Not a handle() op, which is resolved when a plan
// is built: every step, and every iteration that runs it, has its own stack.
#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/state/value_stack.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  DType dtype = ctx.attr<DType>("dtype");
  if (!kElements.contains(dtype)) {
    return ctx.Error(
        StrCat("dtype is ", DTypeName(dtype), "; wanted one of ", kElements));
  }
  auto stack = MakeRef<ValueStack>(ctx.attr<std::string>("label"), dtype,
                                   ctx.attr<int64_t>("max_size"));
  ctx.set_out(0, Array::Handle(Ref<ResourceBase>(std::move(stack))));
  return OkStatus();
}

SL_OP(StepStack)
    .doc(
        "A new stack, which lives as long as its step: the last value pushed "
        "is popped first.")
    .output("handle: resource")
    .attr("dtype", AttrKind::kDType, "Of its values.")
    .attr("max_size", -1, "The most values it holds; -1: no bound.")
    .between(-1, int64_t{1} << 62)
    .attr("label", "", "What messages call it; two of one label are two.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .stateful()
    .rejects({{.in = {},
               .attrs = {{"dtype", DType::kResource}},
               .message = "[StepStack] dtype is resource; wanted one of"}});

}  // namespace
}  // namespace sluice
