#include "sluice/op/record.h"
#include "sluice/state/accumulator.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Accumulator> accumulator,
                      ResourceOf<Accumulator>(ctx));
  ctx.out(0).mutable_data<int64_t>()[0] = accumulator->count();
  return OkStatus();
}

SL_OP(AccumulatorCount)
    .doc("How many gradients an accumulator holds.")
    .input("handle: resource")
    .output("count: i64")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads();

}  // namespace
}  // namespace sluice
