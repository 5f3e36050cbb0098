#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  SL_RETURN_IF_ERROR(c.WantRank(2, 0));
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  const ListValue* more = ListOf(ctx.in(2));
  if (!more) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  auto indices = IntValues(ctx.in(1));
  if (more->size() > static_cast<int64_t>(indices.size())) {
    return ctx.Error(StrCat("more is a ", more->Describe(), "; wanted at most ",
                            indices.size(), " elements, one for each index"));
  }
  for (int64_t i : indices) SL_RETURN_IF_ERROR(CheckPlace(ctx, i));
  SL_ASSIGN_OR_RETURN(ListValue * out, GradientOutput(ctx, more->dtype()));
  for (int64_t k = 0; k < more->size(); ++k) {
    if (!more->there(k)) continue;
    SL_RETURN_IF_ERROR(
        AddElement(ctx, *out, indices[static_cast<size_t>(k)], more->at(k)));
  }
  return OkStatus();
}

SL_OP(ListAddFrom)
    .doc(
        "The gradient of a list with element k of `more` added to element "
        "indices[k], where none is zeros.")
    .input("list: list")
    .input("indices: I")
    .input("more: list")
    .output("out: list")
    .types("I", kIndices)
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy());
      if (!g.wants(2)) return;
      g.set_dx(2,
               g.call("ListSelect", {g.dy(), g.in(1)}, {{"gradient", true}}));
    })
    .internal();

}  // namespace
}  // namespace sluice
