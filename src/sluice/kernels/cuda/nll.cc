// The negative log likelihood and its gradient (source/nll.cuh).
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/label_check.h"
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/nll.cuh.
struct Args {
  GpuReduceShape s;
  const void *x = nullptr, *dloss = nullptr, *labels = nullptr;
  void* out = nullptr;
  void* counted = nullptr;
  int64_t classes = 0, inner = 1, ignored = 0, elements = 0;
  int64_t mean = 0, none = 0;
  CUdeviceptr check = 0;
};

// Room for the count, in front of the parts.
constexpr int64_t kCountBytes = 16;

ReducePlan PlanOf(const Shape& labels, bool none) {
  if (none) return ReducePlan(labels, 0, labels.num_elements());
  return ReducePlan(labels, ~0u, 1);
}

bool None(const Attrs& attrs) {
  return attrs.get<std::string>("reduction") == "none";
}

int64_t Space(const ShapeContext& c) {
  return kCountBytes +
         PlanOf(c.in(1).ToShape(), None(c.attrs())).partial_bytes();
}
int64_t GradSpace(const ShapeContext& c) {
  return kCountBytes + PlanOf(c.in(2).ToShape(), false).partial_bytes();
}

Args ArgsOf(const KernelContext& ctx, const Shape& x, const Array& labels) {
  Args args;
  args.labels = AddressOf(labels);
  args.out = AddressOf(ctx.out(0));
  args.counted = ctx.workspace();
  args.classes = x.dim(1);
  for (int i = 2; i < x.rank(); ++i) args.inner *= x.dim(i);
  args.ignored = ctx.attr<int64_t>("ignore_index");
  args.elements = x.num_elements();
  args.mean = ctx.attr<std::string>("reduction") == "mean";
  args.none = None(ctx.attrs());
  return args;
}

std::string TypesOf(DType x, DType labels) {
  return StrCat(ElementType(x), " using I = ", CudaTypeName(labels), ";");
}

void* Partial(const KernelContext& ctx) {
  return static_cast<char*>(ctx.workspace()) + kCountBytes;
}

Status Loss(KernelContext& ctx) {
  const Array &x = ctx.in(0), &labels = ctx.in(1);
  Args args = ArgsOf(ctx, x.shape(), labels);
  args.x = AddressOf(x);
  args.check = TakeLabelCheck(ctx, 1, args.classes, &args.ignored);
  Status launched =
      LaunchReduce(ctx, "nll.cuh", TypesOf(x.dtype(), labels.dtype()),
                   PlanOf(labels.shape(), args.none != 0), Partial(ctx), args);
  CheckIssued(ctx);
  return launched;
}

Status Gradient(KernelContext& ctx) {
  const Array &x = ctx.in(1), &labels = ctx.in(2);
  Args args = ArgsOf(ctx, x.shape(), labels);
  args.dloss = AddressOf(ctx.in(0));
  std::string types = TypesOf(x.dtype(), labels.dtype());
  // Counts the labels and looks at them.
  args.check = TakeLabelCheck(ctx, 2, args.classes, &args.ignored);
  Status counted = LaunchReduce(
      ctx, "nll.cuh", types, PlanOf(labels.shape(), false), Partial(ctx), args);
  CheckIssued(ctx);
  SL_RETURN_IF_ERROR(counted);
  if (args.elements == 0) return OkStatus();
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction grad,
                      FileFunction(device, "nll.cuh", types, "nll_grad"));
  return LaunchCuda(ctx, grad, GridFor(device, args.elements), args);
}

SL_KERNEL(NllLoss, kCuda, Kernel{.launch = Loss, .workspace = Space});
SL_KERNEL(NllLossGrad, kCuda,
          Kernel{.launch = Gradient, .workspace = GradSpace});

}  // namespace

}  // namespace sluice
