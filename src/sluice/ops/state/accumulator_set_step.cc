#include "sluice/op/record.h"
#include "sluice/state/accumulator.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Accumulator> accumulator,
                      ResourceOf<Accumulator>(ctx));
  SL_ASSIGN_OR_RETURN(int64_t step, ScalarInt(ctx, 1));
  accumulator->SetStep(step);
  return OkStatus();
}

Status InferShape(ShapeContext& c) { return c.WantRank(1, 0); }

SL_OP(AccumulatorSetStep)
    .doc("Sets the step below which an accumulator drops gradients.")
    .input("handle: resource")
    .input("step: i64")
    .shape(InferShape)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
