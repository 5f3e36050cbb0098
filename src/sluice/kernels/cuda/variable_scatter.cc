// Scatter* ops on variables whose value is in GPU memory. The variable and its
// lock belong to the host, so the kernel is the host's; rows are changed in
// place (kernels/device_scatter.h).
#include "sluice/base/caught.h"
#include "sluice/device/stream_order.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/scatter.h"
#include "sluice/kernels/device_scatter.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status ScatterHere(const KernelContext& ctx, const RowScatter& scatter,
                   const Array& target) {
  const Array& indices = ctx.in(1);
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, scatter.rows));
  BeforeWrite(*ctx.stream(), target);
  SL_RETURN_IF_ERROR(ScatterRowsOnGpu(ctx, scatter, AddressOf(target),
                                      indices.dtype(), AddressOf(indices),
                                      AddressOf(ctx.in(2)), ctx.workspace()));
  AfterWrite(*ctx.stream(), target, /*mark=*/false);
  return OkStatus();
}

[[maybe_unused]] const bool kSet =
    DeviceScatter::Set(DeviceKind::kCuda, ScatterHere);

Status Launch(KernelContext& ctx) {
  try {
    return ctx.op().cpu().launch(ctx);
  } catch (...) {
    return CaughtStatus();
  }
}
int64_t Workspace(const ShapeContext& c) {
  return ScatterScratchBytes(c.in(1).ToShape().num_elements());
}

SL_KERNEL(ScatterAdd, kCuda, Kernel{.launch = Launch, .workspace = Workspace});
SL_KERNEL(ScatterSub, kCuda, Kernel{.launch = Launch, .workspace = Workspace});
SL_KERNEL(ScatterMin, kCuda, Kernel{.launch = Launch, .workspace = Workspace});
SL_KERNEL(ScatterMax, kCuda, Kernel{.launch = Launch, .workspace = Workspace});
SL_KERNEL(ScatterUpdate, kCuda,
          Kernel{.launch = Launch, .workspace = Workspace});

}  // namespace
}  // namespace sluice
