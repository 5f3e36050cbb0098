// The kernel of the ops that take a batch out of a queue.
#pragma once

#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/queue.h"

namespace sluice {

template <bool kUpTo>
void DequeueBatchKernel(AsyncContext& ctx) {
  Result<Ref<Queue>> queue = ResourceOf<Queue>(ctx);
  if (!queue.ok()) return ctx.Done(queue.status());
  Result<int64_t> n = ScalarInt(ctx, 1);
  if (!n.ok()) return ctx.Done(n.status());
  Status claims = CheckClaims(
      ctx, (*queue)->spec().tuple, ctx.attr<std::vector<DType>>("dtypes"),
      ctx.attr<std::vector<PartialShape>>("shapes"), (*queue)->who());
  if (!claims.ok()) return ctx.Done(claims);
  (*queue)->DequeueMany(*n, kUpTo, ctx.step().cancellation, ReplyTo(ctx));
}

}  // namespace sluice
