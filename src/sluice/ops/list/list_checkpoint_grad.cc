// ListCheckpointGrad: the reverse of ListCheckpoint. The gradient of a list is
// a list in which missing elements are zeros.
#include <cstring>

#include "sluice/op/grad_context.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  for (int i : {0, 1, 2}) SL_RETURN_IF_ERROR(c.WantRank(i, 0));
  SL_RETURN_IF_ERROR(c.WantRank(3, 1));
  c.set_out(0, PartialShape::Scalar());
  c.set_out(1, c.attr<PartialShape>("shape"));
  return OkStatus();
}

// Zeros of the shape in input 3; for lists, no list.
Result<Array> Zeros(const KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(ctx.in(3).i64s()));
  DType dtype = ctx.attr<DType>("dtype");
  SL_ASSIGN_OR_RETURN(Array zeros, Array::Make(dtype, shape));
  if (IsPlainData(dtype)) {
    std::memset(zeros.mutable_raw(), 0, static_cast<size_t>(zeros.bytes()));
  }
  return zeros;
}

Status Launch(KernelContext& ctx) {
  int64_t index = *ctx.in(1).data<int64_t>();
  bool thin = *ctx.in(2).data<bool>();
  const ListValue* given = ListOf(ctx.in(0));
  Array element;
  if (given && index >= 0) {
    int64_t at = thin && index % 2 == 0 ? index / 2 : index;
    bool there = at < given->size() && !(thin && index % 2 == 1);
    if (there) element = given->at(at);
  }
  if (!element) {
    Result<Array> zeros = Zeros(ctx);
    if (!zeros.ok()) return AsOpError(ctx, zeros.status());
    element = *std::move(zeros);
  }
  if (!given || index < 0) {
    ctx.set_out(0, ctx.in(0));
    ctx.set_out(1, std::move(element));
    return OkStatus();
  }
  // The list as it was before: spread out again, and without the element.
  auto list = MakeRef<ListValue>(given->dtype(), given->shape());
  for (int64_t i = 0; i < given->size(); ++i) {
    int64_t to = thin ? 2 * i : i;
    if (to == index || !given->there(i)) continue;
    SL_RETURN_IF_ERROR(AsOpError(ctx, list->Resize(to + 1)));
    list->Set(to, given->at(i));
  }
  ctx.set_out(0, ListArray(std::move(list)));
  ctx.set_out(1, std::move(element));
  return OkStatus();
}

void Grad(GradContext& g) {
  g.set_dx(0, g.call("ListCheckpoint", {g.dy(0), g.dy(1), g.in(1), g.in(2)}));
}

SL_OP(ListCheckpointGrad)
    .doc(
        "What flows into the list and into x of a ListCheckpoint, given what "
        "flows into its result.")
    .input("dy: list")
    .input("index: i64")
    .input("thin: bool")
    .input("dims: i64")
    .output("dlist: list")
    .output("dx: dtype")
    .attr("dtype", AttrKind::kDType, "Of x.")
    .attr("shape", PartialShape(), "What is known of the shape of x.")
    .shape(Infer)
    .grad(Grad)
    .cpu(Launch)
    .dynamic_output()
    .internal();

}  // namespace
}  // namespace sluice
