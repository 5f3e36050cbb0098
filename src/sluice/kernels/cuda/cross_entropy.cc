// Cross entropy of softmax (source/cross_entropy.cuh).
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/label_check.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/cross_entropy.cuh.
struct Args {
  GpuSlices s;
  const void* x = nullptr;
  const void* labels = nullptr;
  const void* probabilities = nullptr;
  void* loss = nullptr;
  void* grad = nullptr;
  int64_t has_ignored = 0, ignored = 0;
  CUdeviceptr check = 0;
};

Args ArgsOf(const KernelContext& ctx) {
  Args args;
  args.x = AddressOf(ctx.in(0));
  args.loss = AddressOf(ctx.out(0));
  if (ctx.num_outputs() > 1) args.grad = AddressOf(ctx.out(1));
  return args;
}

Status Run(KernelContext& ctx, const char* name, DType labels,
           const Args& args) {
  const Array& x = ctx.in(0);
  std::string before =
      StrCat(ElementType(x.dtype()), " using I = ", CudaTypeName(labels), ";");
  return LaunchSlices(ctx, "cross_entropy.cuh", before, name,
                      SlicePlan(x.dim(0), x.dim(1)), args);
}

Status Sparse(KernelContext& ctx) {
  const Array &x = ctx.in(0), &labels = ctx.in(1);
  if (x.dim(0) == 0) return OkStatus();
  Args args = ArgsOf(ctx);
  args.labels = AddressOf(labels);
  const AttrValue* given = ctx.attrs().find("ignore_index");
  const int64_t* ignored = given ? &given->get<int64_t>() : nullptr;
  if (ignored) {
    args.has_ignored = 1;
    args.ignored = *ignored;
  }
  args.check = TakeLabelCheck(ctx, 1, x.dim(1), ignored);
  Status launched = Run(ctx, "sparse_cross_entropy", labels.dtype(), args);
  CheckIssued(ctx);
  return launched;
}

Status Dense(KernelContext& ctx) {
  Args args = ArgsOf(ctx);
  args.probabilities = AddressOf(ctx.in(1));
  return Run(ctx, "dense_cross_entropy", DType::kI32, args);
}

SL_KERNEL(SoftmaxCrossEntropy, kCuda, Kernel{.launch = Sparse});
SL_KERNEL(SparseSoftmaxCrossEntropy, kCuda, Kernel{.launch = Sparse});
SL_KERNEL(SoftmaxCrossEntropyWithLogits, kCuda, Kernel{.launch = Dense});

}  // namespace

}  // namespace sluice
