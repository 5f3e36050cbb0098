// Reductions of one array over any of its axes (source/reduce.cuh).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/channels_last.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/reduce.cuh.
struct Args {
  GpuReduceShape s;
  const void* x = nullptr;
  void* y = nullptr;
  int64_t n = 0;
  BlockParams params;
};

uint32_t AxesOf(const Attrs& attrs, const Shape& x, const Shape& y) {
  if (const AttrValue* axis = attrs.find("axis")) {
    int64_t a = axis->get<int64_t>();
    return 1u << (a < 0 ? a + x.rank() : a);
  }
  return ReducedAxes(attrs, x, y);
}

// The plan for a channels-last array with four axes, if results come out in
// their order: not those that keep channels and pixels.
std::optional<ReducePlan> PlanLast(const Shape& x, uint32_t mask,
                                   int64_t outputs) {
  if (x.rank() != 4 || (!(mask & 2) && (mask & 12) != 12)) return std::nullopt;
  uint32_t turned =
      (mask & 1) | (mask >> 1 & 2) | (mask >> 1 & 4) | (mask << 2 & 8);
  std::array<int64_t, 4> dims{x.dim(0), x.dim(2), x.dim(3), x.dim(1)};
  return ReducePlan(*Shape::Make(dims), turned, outputs);
}

Status Run(KernelContext& ctx, const char* reducer,
           const BlockParams& params = {}) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  uint32_t mask = AxesOf(ctx.attrs(), x.shape(), y.shape());
  ReducePlan plan(x.shape(), mask, y.num_elements());
  Args args;
  args.x = AddressOf(x);
  Array rows;
  if (!x.contiguous()) {
    if (auto last = PlanLast(x.shape(), mask, y.num_elements())) {
      plan = *last;
    } else {
      SL_ASSIGN_OR_RETURN(rows, ScratchFor(ctx, x.bytes()));
      args.x = AddressOf(rows);
      SL_RETURN_IF_ERROR(
          CopyRegionOnGpu(ctx, x.dtype(), x.shape(), AddressOf(x), x.strides(),
                          AddressOf(rows), ContiguousStrides(x.shape())));
    }
  }
  args.y = AddressOf(y);
  args.n = plan.reduced_count;
  args.params = params;
  bool aligned = reinterpret_cast<uintptr_t>(args.x) % 16 == 0;
  int64_t pack = std::min<int64_t>(8, 16 / DTypeSize(x.dtype()));
  args.s.packed = aligned && plan.Packs(pack);
  std::string before = StrCat("using T = ", CudaTypeName(x.dtype()),
                              "; using Out = ", CudaTypeName(y.dtype()),
                              ";\n#define SL_REDUCER ", reducer);
  return LaunchReduce(ctx, "reduce.cuh", before, plan, ctx.workspace(), args);
}

int64_t Space(const ShapeContext& c) {
  Shape x = c.in(0).ToShape(), y = c.out(0).ToShape();
  uint32_t mask = AxesOf(c.attrs(), x, y);
  int64_t bytes = ReducePlan(x, mask, y.num_elements()).partial_bytes();
  auto last = PlanLast(x, mask, y.num_elements());
  return std::max(bytes, last ? last->partial_bytes() : 0);
}

template <const char* kReducer>
Status Reduce(KernelContext& ctx) {
  return Run(ctx, kReducer);
}

template <const char* kReducer>
Status Variance(KernelContext& ctx) {
  BlockParams params;
  params.p[0] = static_cast<double>(ctx.attr<int64_t>("correction"));
  return Run(ctx, kReducer, params);
}

Status Norm(KernelContext& ctx) {
  BlockParams params;
  double p = params.p[0] = ctx.attr<double>("p");
  const char* reducer = "Powers";
  if (p == 1) reducer = "Ones";
  if (p == 2) reducer = "Twos";
  if (std::isinf(p)) reducer = p > 0 ? "Largest" : "Smallest";
  return Run(ctx, reducer, params);
}

#define SL_REDUCTION(Op, Fn, name)        \
  constexpr char k##Op##Reducer[] = name; \
  SL_KERNEL(Op, kCuda, Kernel{.launch = Fn<k##Op##Reducer>, .workspace = Space})

SL_REDUCTION(Sum, Reduce, "SumOf");
SL_REDUCTION(SumTo, Reduce, "SumOf");
SL_REDUCTION(Mean, Reduce, "MeanOf");
SL_REDUCTION(Prod, Reduce, "ProdOf");
SL_REDUCTION(Max, Reduce, "MaxOf");
SL_REDUCTION(Min, Reduce, "MinOf");
SL_REDUCTION(Any, Reduce, "AnyOf");
SL_REDUCTION(All, Reduce, "AllOf");
SL_REDUCTION(CountNonZero, Reduce, "CountOf");
SL_REDUCTION(LogSumExp, Reduce, "LogSumExpOf");
SL_REDUCTION(ArgMax, Reduce, "ArgMax");
SL_REDUCTION(ArgMin, Reduce, "ArgMin");
SL_REDUCTION(Var, Variance, "VarOf");
SL_REDUCTION(Std, Variance, "StdOf");
SL_KERNEL(Norm, kCuda, Kernel{.launch = Norm, .workspace = Space});

// Used by sums of gradients and means of images.
SL_CHANNELS_LAST(Sum, {.inputs = 1});
SL_CHANNELS_LAST(SumTo, {.inputs = 1});
SL_CHANNELS_LAST(Mean, {.inputs = 1});

}  // namespace

}  // namespace sluice
