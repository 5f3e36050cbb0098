#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(ListInput(ctx).status());
  return ListOutput(ctx).status();
}

SL_OP(ListStopGradient)
    .doc("The list itself; gradients take its elements for constants.")
    .input("list: list")
    .output("out: list")
    .shape(ListShapes<1>)
    .batch(list_batch::same_elements)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .no_grad("it was put there to stop gradients")
    .internal();

}  // namespace
}  // namespace sluice
