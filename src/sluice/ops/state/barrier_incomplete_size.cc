#include "sluice/op/record.h"
#include "sluice/state/barrier.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Barrier> barrier, ResourceOf<Barrier>(ctx));
  ctx.out(0).mutable_data<int64_t>()[0] = barrier->incomplete_size();
  return OkStatus();
}

SL_OP(BarrierIncompleteSize)
    .doc("How many keys of a barrier still miss a component.")
    .input("handle: resource")
    .output("size: i64")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads()
    .rejects({{.in = {},
               .message = "[BarrierIncompleteSize] takes 1 input, got 0"}});

}  // namespace
}  // namespace sluice
