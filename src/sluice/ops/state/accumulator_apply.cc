#include "sluice/op/record.h"
#include "sluice/state/accumulator.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Accumulator> accumulator,
                      ResourceOf<Accumulator>(ctx));
  SL_ASSIGN_OR_RETURN(int64_t local_step, ScalarInt(ctx, 1));
  return AsOpError(ctx, accumulator->Apply(local_step, ctx.in(2)));
}

Status InferShape(ShapeContext& c) { return c.WantRank(1, 0); }

SL_OP(AccumulatorApply)
    .doc(
        "Gives a gradient to an accumulator, which drops it when it was "
        "computed for an earlier step than the accumulator's own.")
    .input("handle: resource")
    .input("local_step: i64")
    .input("gradient: T")
    .types("T", kNumbers)
    .shape(InferShape)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
