#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/mutex_resource.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Result<Ref<MutexResource>> mutex = ResourceOf<MutexResource>(ctx);
  if (!mutex.ok()) return ctx.Done(mutex.status());
  (*mutex)->Acquire(ctx.step().cancellation, ReplyTo(ctx));
}

SL_OP(MutexAcquire)
    .doc("Waits until a mutex is free and holds it; the ticket releases it.")
    .input("handle: resource")
    .output("ticket: i64")
    .shape(shapes::scalar)
    .cpu_async(Launch)
    .writes()
    .dynamic_output();

}  // namespace
}  // namespace sluice
