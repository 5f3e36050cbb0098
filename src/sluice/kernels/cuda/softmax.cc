// Softmax, its logarithm and their gradients (source/softmax.cuh).
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/softmax.cuh.
struct Args {
  GpuSlices s;
  const void *x = nullptr, *y = nullptr;
  void* out = nullptr;
};

Status Run(KernelContext& ctx, const char* name, bool log) {
  const Array& out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  Args args;
  args.x = AddressOf(ctx.in(0));
  if (ctx.num_inputs() > 1) args.y = AddressOf(ctx.in(1));
  args.out = AddressOf(out);
  SlicePlan plan(AxisView(out.shape(), ctx.attr<int64_t>("axis")));
  std::string before = StrCat(ElementType(out.dtype()), "\n#define SL_LOG ",
                              log ? "true" : "false");
  return LaunchSlices(ctx, "softmax.cuh", before, name, plan, args);
}

Status Softmax(KernelContext& ctx) { return Run(ctx, "softmax", false); }
Status LogSoftmax(KernelContext& ctx) { return Run(ctx, "softmax", true); }
Status SoftmaxGrad(KernelContext& ctx) {
  return Run(ctx, "softmax_grad", false);
}
Status LogSoftmaxGrad(KernelContext& ctx) {
  return Run(ctx, "softmax_grad", true);
}

SL_KERNEL(Softmax, kCuda, Kernel{.launch = Softmax, .in_place = true});
SL_KERNEL(LogSoftmax, kCuda, Kernel{.launch = LogSoftmax, .in_place = true});
SL_KERNEL(SoftmaxGrad, kCuda, Kernel{.launch = SoftmaxGrad, .in_place = true});
SL_KERNEL(LogSoftmaxGrad, kCuda,
          Kernel{.launch = LogSoftmaxGrad, .in_place = true});

}  // namespace

}  // namespace sluice
