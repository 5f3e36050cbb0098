// CosineSimilarity (source/cosine.cuh).
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/cosine.cuh.
struct Args {
  GpuReduceShape s;
  const void *a = nullptr, *b = nullptr;
  void* y = nullptr;
  double epsilon = 0;
};

ReducePlan PlanOf(const Shape& x, int64_t axis, int64_t outputs) {
  return ReducePlan(x, 1u << (axis < 0 ? axis + x.rank() : axis), outputs);
}

int64_t Space(const ShapeContext& c) {
  return PlanOf(c.in(0).ToShape(), c.attr<int64_t>("axis"),
                c.out(0).ToShape().num_elements())
      .partial_bytes();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  Args args;
  args.a = AddressOf(x);
  args.b = AddressOf(ctx.in(1));
  args.y = AddressOf(y);
  args.epsilon = ctx.attr<double>("epsilon");
  ReducePlan plan =
      PlanOf(x.shape(), ctx.attr<int64_t>("axis"), y.num_elements());
  return LaunchReduce(ctx, "cosine.cuh", ElementType(x.dtype()), plan,
                      ctx.workspace(), args);
}

SL_KERNEL(CosineSimilarity, kCuda,
          Kernel{.launch = Launch, .workspace = Space});

}  // namespace

}  // namespace sluice
