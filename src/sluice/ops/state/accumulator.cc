#include "sluice/state/accumulator.h"

#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  DType dtype = ctx.attr<DType>("dtype");
  const auto& shape = ctx.attr<PartialShape>("shape");
  auto reduction = ctx.attr<std::string>("reduction") == "sum"
                       ? AccumulatorReduction::kSum
                       : AccumulatorReduction::kMean;
  return MakeHandle(ctx, Accumulator::Signature(dtype, shape, reduction),
                    [&](const std::string& name) -> Result<Ref<ResourceBase>> {
                      SL_ASSIGN_OR_RETURN(
                          Ref<Accumulator> made,
                          Accumulator::Make(name, dtype, shape, reduction));
                      return Ref<ResourceBase>(std::move(made));
                    });
}

Status InferShape(ShapeContext& c) {
  DType dtype = c.attr<DType>("dtype");
  if (!kNumbers.contains(dtype)) {
    return c.Error(
        StrCat("dtype is ", DTypeName(dtype), "; wanted one of ", kNumbers));
  }
  return shapes::scalar(c);
}

SL_OP(Accumulator)
    .doc(
        "The handle of an accumulator: it gathers gradients from many steps "
        "and gives their mean or sum away when there are enough of them.")
    .output("handle: resource")
    .attr("dtype", AttrKind::kDType, "type of the gradients")
    .attr("shape", PartialShape(), "shape of the gradients")
    .attr("reduction", "mean", "what is given away")
    .one_of({"mean", "sum"})
    .attr("container", "", "container the accumulator lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(InferShape)
    .cpu(Launch)
    .handle()
    .rejects({{.in = {},
               .attrs = {{"dtype", DType::kString}},
               .message = "[Accumulator] dtype is string; wanted one of"}});

}  // namespace
}  // namespace sluice
