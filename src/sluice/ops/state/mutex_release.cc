#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/mutex_resource.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<MutexResource> mutex, ResourceOf<MutexResource>(ctx));
  SL_ASSIGN_OR_RETURN(int64_t ticket, ScalarInt(ctx, 1));
  return AsOpError(ctx, mutex->Unlock(ticket));
}

Status InferShape(ShapeContext& c) { return c.WantRank(1, 0); }

SL_OP(MutexRelease)
    .doc("Releases a mutex with the ticket that acquiring it gave.")
    .input("handle: resource")
    .input("ticket: i64")
    .shape(InferShape)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
