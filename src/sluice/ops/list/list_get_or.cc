#include <cstring>

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 2));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(int64_t i, PlaceInput(ctx, 1));
  Array part = PartAt(ctx, i);
  DType dtype = ctx.attr<DType>("dtype");
  if (part && part.dtype() != dtype) {
    return ctx.Error(StrCat("the element is ", part.TypeText(), "; wanted ",
                            DTypeName(dtype)));
  }
  if (!part && dtype == DType::kList) part = Array::Zeros(dtype, {});
  if (!part) {
    SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(IntValues(ctx.in(2))));
    Result<Array> zeros = Array::Make(dtype, shape);
    if (!zeros.ok()) return AsOpError(ctx, zeros.status());
    part = *std::move(zeros);
    std::memset(part.mutable_raw(), 0, static_cast<size_t>(part.bytes()));
  }
  ctx.set_out(0, std::move(part));
  return OkStatus();
}

SL_OP(ListGetOr)
    .doc(
        "One element of the gradient of a list; zeros of the sizes `dims` "
        "where there is none.")
    .input("list: list")
    .input("index: I")
    .input("dims: i64")
    .output("element: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .shape(Infer)
    .batch([](BatchContext& b) {
      if (b.batched(1) || b.batched(2)) return false;
      return b.set_all({b.in(0), b.in(1), b.lanes_and(b.in(2))});
    })
    .batch_lists([](BatchContext& b) {
      if (b.batched(2)) return false;
      RuleVar dims = b.lanes_and(b.in(2));
      return list_batch::set_elements(
          b, b.call("ListGetLanesOr", {b.full(0), b.full(1), dims},
                    {{"dtype", b.attr<DType>("dtype")}}));
    })
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0,
               g.call("ListAddAt", {g.call("ListZero", {}), g.in(1), g.dy()}));
    })
    .role(Role::kListGetOr)
    .internal();

}  // namespace
}  // namespace sluice
