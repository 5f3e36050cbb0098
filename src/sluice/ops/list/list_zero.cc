#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  ctx.set_out(0, Array::Zeros(DType::kList, {}));
  return OkStatus();
}

SL_OP(ListZero)
    .doc("No list: the gradient of a list that nothing flows into.")
    .output("out: list")
    .shape(shapes::scalar)
    .role(Role::kListZero)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext&) {})
    .internal();

}  // namespace
}  // namespace sluice
