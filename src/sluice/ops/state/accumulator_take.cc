#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/state/accumulator.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Result<Ref<Accumulator>> accumulator = ResourceOf<Accumulator>(ctx);
  if (!accumulator.ok()) return ctx.Done(accumulator.status());
  Result<int64_t> required = ScalarInt(ctx, 1);
  if (!required.ok()) return ctx.Done(required.status());
  Status claim =
      CheckClaim(ctx, ctx.attr<DType>("dtype"), ctx.attr<PartialShape>("shape"),
                 (*accumulator)->dtype(), (*accumulator)->shape(),
                 StrCat("accumulator \"", (*accumulator)->name(), "\""));
  if (!claim.ok()) return ctx.Done(claim);
  (*accumulator)->Take(*required, ctx.step().cancellation, ReplyTo(ctx));
}

Status InferShape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  c.set_out(0, c.attr<PartialShape>("shape"));
  return OkStatus();
}

SL_OP(AccumulatorTake)
    .doc(
        "Waits until an accumulator has num_required gradients, takes the "
        "mean or sum of all it has, and moves it to its next step.")
    .input("handle: resource")
    .input("num_required: N")
    .output("value: dtype")
    .types("N", kIndices)
    .attr("dtype", AttrKind::kDType, "the accumulator's")
    .attr("shape", PartialShape(),
          "the accumulator's, as far as the graph wants to know it")
    .shape(InferShape)
    .cpu_async(Launch)
    .writes()
    .dynamic_output();

}  // namespace
}  // namespace sluice
