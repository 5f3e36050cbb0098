#include "sluice/base/strings.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/state/arithmetic.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  if (ctx.in(0).rank() == 0) {
    return ctx.Error(
        StrCat("x is ", ctx.in(0).TypeText(), "; wanted rank 1 or more"));
  }
  SL_ASSIGN_OR_RETURN(Shape row,
                      Shape::Make(ctx.in(0).shape().dims().subspan(1)));
  auto list = MakeRef<ListValue>(ctx.in(0).dtype(), PartialShape(row));
  if (list->CanTakeRows(ctx.in(0))) {
    SL_RETURN_IF_ERROR(AsOpError(ctx, list->TakeRows(ctx.in(0), row)));
    ctx.set_out(0, ListArray(std::move(list)));
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(Array x, OwnedArray(ctx.in(0)));
  SL_ASSIGN_OR_RETURN(std::vector<Array> rows, RowsOf(ctx, x));
  SL_RETURN_IF_ERROR(AsOpError(ctx, list->Resize(x.dim(0))));
  for (size_t i = 0; i < rows.size(); ++i) {
    list->Set(static_cast<int64_t>(i), std::move(rows[i]));
  }
  ctx.set_out(0, ListArray(std::move(list)));
  return OkStatus();
}

SL_OP(ListUnstack)
    .doc(
        "A list of the slices of x along its first axis; long ones are not "
        "copied.")
    .input("x: T")
    .output("list: list")
    .types("T", kAnyData)
    .shape(Infer)
    .batch([](BatchContext& b) {
      if (b.rank(0) < 1) return false;
      return b.set_all({b.move_axis(b.in(0), b.rank(0) + 1, 0, 1)});
    })
    .role(Role::kListUnstack)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListStackOr", {g.dy(), g.shape_of(g.in(0))},
                         {{"dtype", g.in(0).dtype()}}));
    })
    .rejects({{.in = {Shape()},
               .message = "[ListUnstack] x is f32[]; wanted rank 1 or more"}});

}  // namespace
}  // namespace sluice
