// LayerNorm, RmsNorm, GroupNorm, InstanceNorm and their gradients
// (source/norm_rows.cuh).
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Must agree with source/norm_rows.cuh.
struct ScalePlaces {
  int64_t run = 1, groups = 1, step = 0;
};
struct NormArgs {
  GpuSlices s;
  const void *x = nullptr, *scale = nullptr, *offset = nullptr;
  void *y = nullptr, *mean = nullptr, *rstd = nullptr;
  ScalePlaces places;
  double epsilon = 0;
};
struct NormGradArgs {
  GpuSlices s;
  const void *dy = nullptr, *x = nullptr, *scale = nullptr;
  const void *mean = nullptr, *rstd = nullptr;
  void* dx = nullptr;
  ScalePlaces places;
};
struct ScaleGradArgs {
  GpuReduceShape s;
  const void *dy = nullptr, *x = nullptr, *mean = nullptr, *rstd = nullptr;
  void *dscale = nullptr, *doffset = nullptr;
  int64_t row = 1;
};

// The elements that are normalized together, and the axes that share a scale.
struct Rows {
  int64_t count = 1, n = 1;
  ScalePlaces places;
  uint32_t summed = 0;  // the axes over which gradients of scales are summed

  // From attribute "axis" on, or each group of channels.
  Rows(const Shape& x, const Attrs& attrs) {
    if (const AttrValue* given = attrs.find("axis")) {
      int64_t axis = given->get<int64_t>();
      if (axis < 0) axis += x.rank();
      for (int i = 0; i < x.rank(); ++i) {
        (i < axis ? count : n) *= x.dim(i);
        if (i < axis) summed |= 1u << i;
      }
      return;
    }
    const AttrValue* given = attrs.find("groups");
    places.groups = given ? given->get<int64_t>() : x.dim(1);
    places.step = places.groups == 0 ? 0 : x.dim(1) / places.groups;
    for (int i = 2; i < x.rank(); ++i) places.run *= x.dim(i);
    count = x.dim(0) * places.groups;
    n = places.step * places.run;
    summed = ~2u;
  }
};

std::string Before(DType x, DType stats, bool center) {
  return StrCat(ElementType(x), " using S = ", CudaTypeName(stats),
                ";\n#define SL_CENTER ", center ? "true" : "false");
}

template <bool kCenter>
Status Forward(KernelContext& ctx) {
  const Array &x = ctx.in(0), &rstd = ctx.out(kCenter ? 2 : 1);
  Rows rows(x.shape(), ctx.attrs());
  NormArgs args;
  args.x = AddressOf(x);
  args.scale = AddressOf(ctx.in(1));
  if (kCenter) args.offset = AddressOf(ctx.in(2));
  args.y = AddressOf(ctx.out(0));
  if (kCenter) args.mean = AddressOf(ctx.out(1));
  args.rstd = AddressOf(rstd);
  args.places = rows.places;
  args.epsilon = ctx.attr<double>("epsilon");
  return LaunchSlices(ctx, "norm_rows.cuh",
                      Before(x.dtype(), rstd.dtype(), kCenter), "norm_rows",
                      SlicePlan(rows.count, rows.n), args);
}

template <bool kCenter>
Status Backward(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &x = ctx.in(1);
  const Array& rstd = ctx.in(kCenter ? 4 : 3);
  Rows rows(x.shape(), ctx.attrs());
  std::string before = Before(x.dtype(), rstd.dtype(), kCenter);
  NormGradArgs args;
  args.dy = AddressOf(dy);
  args.x = AddressOf(x);
  args.scale = AddressOf(ctx.in(2));
  if (kCenter) args.mean = AddressOf(ctx.in(3));
  args.rstd = AddressOf(rstd);
  args.dx = AddressOf(ctx.out(0));
  args.places = rows.places;
  if (x.num_elements() > 0) {
    SlicePlan plan(rows.count, rows.n);
    // Sixteen pairs of doubles and their sums need more registers than this
    // many threads have.
    if (x.dtype() == DType::kF64) plan.held = std::min<int64_t>(plan.held, 8);
    SL_RETURN_IF_ERROR(LaunchSlices(ctx, "norm_rows.cuh",
                                    StrCat(before, "\n#define SL_BACK"),
                                    "norm_rows_grad", plan, args));
  }
  ScaleGradArgs sums;
  sums.dy = args.dy;
  sums.x = args.x;
  sums.mean = args.mean;
  sums.rstd = args.rstd;
  sums.dscale = AddressOf(ctx.out(1));
  if (kCenter) sums.doffset = AddressOf(ctx.out(2));
  // Statistics are per row; within a column they are its steps.
  sums.row = ctx.attrs().find("axis") ? 0 : rows.n;
  ReducePlan plan(x.shape(), rows.summed, ctx.out(1).num_elements());
  return LaunchReduce(ctx, "norm_rows.cuh", before, plan, ctx.workspace(),
                      sums);
}

int64_t GradSpace(const ShapeContext& c) {
  Shape x = c.in(1).ToShape();
  Rows rows(x, c.attrs());
  return ReducePlan(x, rows.summed, c.out(1).ToShape().num_elements())
      .partial_bytes();
}

SL_KERNEL(LayerNorm, kCuda, Kernel{.launch = Forward<true>, .in_place = true});
SL_KERNEL(RmsNorm, kCuda, Kernel{.launch = Forward<false>, .in_place = true});
SL_KERNEL(GroupNorm, kCuda, Kernel{.launch = Forward<true>, .in_place = true});
SL_KERNEL(InstanceNorm, kCuda,
          Kernel{.launch = Forward<true>, .in_place = true});
SL_KERNEL(LayerNormGrad, kCuda,
          Kernel{.launch = Backward<true>, .workspace = GradSpace});
SL_KERNEL(RmsNormGrad, kCuda,
          Kernel{.launch = Backward<false>, .workspace = GradSpace});
SL_KERNEL(GroupNormGrad, kCuda,
          Kernel{.launch = Backward<true>, .workspace = GradSpace});
SL_KERNEL(InstanceNormGrad, kCuda,
          Kernel{.launch = Backward<true>, .workspace = GradSpace});

}  // namespace

}  // namespace sluice
