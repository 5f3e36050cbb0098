#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const ListValue* b = ListOf(ctx.in(1));
  if (!b) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  if (!ListOf(ctx.in(0))) {
    ctx.set_out(0, ctx.in(1));
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, GradientOutput(ctx, b->dtype()));
  for (int64_t i = 0; i < b->size(); ++i) {
    if (b->there(i)) SL_RETURN_IF_ERROR(AddElement(ctx, *out, i, b->at(i)));
  }
  return OkStatus();
}

SL_OP(ListAdd)
    .doc(
        "The sum of two gradients of a list, element by element, where none is "
        "zeros.")
    .input("a: list")
    .input("b: list")
    .output("out: list")
    .shape(ListShapes<2>)
    .batch(list_batch::both_lists)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      for (int i = 0; i < 2; ++i) {
        if (g.wants(i)) g.set_dx(i, g.dy());
      }
    })
    .role(Role::kListAdd)
    .internal();

}  // namespace
}  // namespace sluice
