// Ops on lists whose elements are in GPU memory. The host manages the list;
// elements are copied and added on the device (tensor/remote_work.h), so the
// kernels are those of the host.
#include "sluice/base/caught.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/tensor/remote_copy.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  try {
    SL_RETURN_IF_ERROR(ctx.op().cpu().launch(ctx));
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      const Array& out = ctx.out(i);
      if (IsReference(out.dtype()) || !out.on_host()) continue;
      SL_ASSIGN_OR_RETURN(Array here, RemoteCopy::To(out, ctx.step().memory));
      ctx.set_out(i, std::move(here));
    }
    return OkStatus();
  } catch (...) {
    return CaughtStatus();
  }
}

// `host`: the inputs that identify elements.
Kernel OnGpu(uint32_t host = 0) {
  Kernel kernel;
  kernel.launch = Launch;
  kernel.host_inputs = host;
  kernel.capturable = false;
  return kernel;
}

SL_KERNEL(ListStack, kCuda, OnGpu());
SL_KERNEL(ListStackOr, kCuda, OnGpu());
SL_KERNEL(ListConcat, kCuda, OnGpu());
SL_KERNEL(ListConcatOr, kCuda, OnGpu(2));
SL_KERNEL(ListGather, kCuda, OnGpu(2));
SL_KERNEL(ListGatherOr, kCuda, OnGpu(2));
SL_KERNEL(ListUnstack, kCuda, OnGpu());
SL_KERNEL(ListSplit, kCuda, OnGpu(2));
SL_KERNEL(ListScatter, kCuda, OnGpu(2));
SL_KERNEL(ListAdd, kCuda, OnGpu());
SL_KERNEL(ListAddAt, kCuda, OnGpu(2));
SL_KERNEL(ListAddFrom, kCuda, OnGpu(2));
SL_KERNEL(ListAddRows, kCuda, OnGpu(2));
SL_KERNEL(ListMask, kCuda, OnGpu());
SL_KERNEL(ListWriteAll, kCuda, OnGpu());
SL_KERNEL(ListZero, kCuda, OnGpu());
SL_KERNEL(ListZerosLike, kCuda, OnGpu());
SL_KERNEL(ListStopGradient, kCuda, OnGpu());
SL_KERNEL(ListCheckpoint, kCuda, OnGpu(12));

}  // namespace
}  // namespace sluice
