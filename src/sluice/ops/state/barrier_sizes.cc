// BarrierIncompleteSize and BarrierReadySize.
#include "sluice/op/record.h"
#include "sluice/ops/family.h"
#include "sluice/state/barrier.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

template <int64_t (Barrier::*kSize)() const>
Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Barrier> barrier, ResourceOf<Barrier>(ctx));
  ctx.out(0).mutable_data<int64_t>()[0] = (*barrier.*kSize)();
  return OkStatus();
}

OpDefinition& BarrierSize(OpDefinition&& op, std::string_view) {
  return op.input("handle: resource")
      .output("size: i64")
      .shape(shapes::scalar)
      .reads();
}

}  // namespace

SL_OP_OF(BarrierIncompleteSize, BarrierSize)
    .doc("How many keys of a barrier still miss a component.")
    .cpu(Launch<&Barrier::incomplete_size>);

SL_OP_OF(BarrierReadySize, BarrierSize)
    .doc("How many keys of a barrier are complete and not yet taken.")
    .cpu(Launch<&Barrier::ready_size>);

}  // namespace sluice
