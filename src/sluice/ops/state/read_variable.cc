#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"
#include "sluice/tensor/remote_copy.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  DType dtype = ctx.attr<DType>("dtype");
  const PartialShape& shape = ctx.attr<PartialShape>("shape");
  // Nearly always they are the same, and no name need be put together.
  if (dtype != variable->dtype() || !(shape == variable->shape())) {
    SL_RETURN_IF_ERROR(
        CheckClaim(ctx, dtype, shape, variable->dtype(), variable->shape(),
                   StrCat("variable \"", variable->name(), "\"")));
  }
  Result<Array> value = variable->Read();
  if (!value.ok()) return AsOpError(ctx, value.status());
  // Another session may have put it on another device.
  if (IsPlainData(dtype) && value->memory() != ctx.step().memory) [[unlikely]] {
    value = RemoteCopy::To(*value, ctx.step().memory);
    if (!value.ok()) return AsOpError(ctx, value.status());
  }
  ctx.set_out(0, std::move(*value));
  return OkStatus();
}

Status InferShape(ShapeContext& c) {
  c.set_out(0, c.attr<PartialShape>("shape"));
  return OkStatus();
}

// The output is the variable's own array, shared: so the kernel brings it.
SL_OP(ReadVariable)
    .doc(
        "The present value of a variable. Later changes to the variable do "
        "not change a value that was read.")
    .input("handle: resource")
    .output("value: dtype")
    .attr("dtype", AttrKind::kDType, "the variable's")
    .attr("shape", PartialShape(),
          "the variable's, as far as the graph wants to know it")
    .shape(InferShape)
    .cpu(Launch)
    .any_memory()
    .reads()
    .dynamic_output();

}  // namespace
}  // namespace sluice
