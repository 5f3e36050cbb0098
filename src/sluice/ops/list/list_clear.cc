#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  c.set_out(0, PartialShape::Scalar());
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  bool any = false;
  for (int64_t i : IntValues(ctx.in(1))) any = any || PartAt(ctx, i);
  if (!any) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  for (int64_t i : IntValues(ctx.in(1))) {
    if (i >= 0 && i < out->size()) out->Clear(i);
  }
  return OkStatus();
}

SL_OP(ListClear)
    .doc("The gradient of a list with zeros at the indices.")
    .input("list: list")
    .input("indices: I")
    .output("out: list")
    .types("I", kIndices)
    .shape(Infer)
    .batch(list_batch::same_elements)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListClear", {g.dy(), g.in(1)}));
    })
    .internal();

}  // namespace
}  // namespace sluice
