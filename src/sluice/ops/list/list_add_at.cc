#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(int64_t i, PlaceInput(ctx, 1));
  Result<Array> x = OwnedArray(ctx.in(2));
  if (!x.ok()) return AsOpError(ctx, x.status());
  SL_ASSIGN_OR_RETURN(ListValue * out, GradientOutput(ctx, x->dtype()));
  return AddElement(ctx, *out, i, *x);
}

SL_OP(ListAddAt)
    .doc(
        "The gradient of a list with x added to element `index`, where none is "
        "zeros.")
    .input("list: list")
    .input("index: I")
    .input("x: T")
    .output("out: list")
    .types("I", kIndices)
    .types("T", kElements)
    .shape(ListShapes<2>)
    .batch(list_batch::put)
    .batch_lists([](BatchContext& b) {
      return list_batch::set_lists(b, "ListAddLanes");
    })
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy());
      if (!g.wants(2)) return;
      g.set_dx(2, g.call("ListGetOr", {g.dy(), g.in(1), g.shape_of(g.in(2))},
                         {{"dtype", g.in(2).dtype()}}));
    })
    .role(Role::kListAddAt)
    .internal()
    .rejects(
        {{.in = {Array::Zeros(DType::kList, {}),
                 Array::Scalar<int64_t>(-1),
                 {2}},
          .message = "[ListAddAt] index is -1; wanted 0 <= index < 67108864"}});

}  // namespace
}  // namespace sluice
