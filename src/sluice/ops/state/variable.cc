#include "sluice/state/variable.h"

#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  DType dtype = ctx.attr<DType>("dtype");
  const auto& shape = ctx.attr<PartialShape>("shape");
  return MakeHandle(ctx, Variable::Signature(dtype, shape),
                    [&](const std::string& name) -> Result<Ref<ResourceBase>> {
                      SL_ASSIGN_OR_RETURN(Ref<Variable> v,
                                          Variable::Make(name, dtype, shape));
                      return Ref<ResourceBase>(std::move(v));
                    });
}

Status InferShape(ShapeContext& c) {
  DType dtype = c.attr<DType>("dtype");
  if (!kAnyData.contains(dtype)) {
    return c.Error(
        StrCat("dtype is ", DTypeName(dtype), "; wanted one of ", kAnyData));
  }
  return shapes::scalar(c);
}

SL_OP(Variable)
    .doc(
        "The handle of a variable: an array that survives steps. It has no "
        "value until something is assigned to it.")
    .output("handle: resource")
    .attr("dtype", AttrKind::kDType, "type of the elements")
    .attr("shape", PartialShape(),
          "shape of the value; unknown sizes may change with each assignment")
    .attr("container", "", "container the variable lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(InferShape)
    .cpu(Launch)
    .handle()
    .role(Role::kVariable)
    .rejects({{.in = {},
               .attrs = {{"dtype", DType::kResource}},
               .message = "[Variable] dtype is resource; wanted one of"}});

SL_KERNEL(Variable, kSim, {.launch = Launch});

}  // namespace
}  // namespace sluice
