// MatMul, BatchMatMul, MatVec, Outer, Dot on a GPU.
#include "sluice/base/small_vector.h"
#include "sluice/kernels/cuda/addend.h"
#include "sluice/kernels/cuda/gemm.h"
#include "sluice/op/by_library.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// The product of the last two axes of a and b, without a batch.
GpuGemm ProductOf(const KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1);
  bool ta = ctx.attr<bool>("transpose_a"), tb = ctx.attr<bool>("transpose_b");
  int ra = a.rank() - 2, rb = b.rank() - 2;
  GpuGemm g;
  g.dtype = a.dtype();
  g.m = a.dim(ra + ta);
  g.n = b.dim(rb + !tb);
  g.k = a.dim(ra + !ta);
  g.a = {AddressOf(a), a.dim(ra + 1), ta};
  g.b = {AddressOf(b), b.dim(rb + 1), tb};
  g.c = AddressOf(ctx.out(0));
  return g;
}

Status LaunchMatMul(KernelContext& ctx) {
  GpuGemm g = ProductOf(ctx);
  if (ctx.num_inputs() > 2) {
    g.add = AddressOf(ctx.in(2));
    g.add_row = ctx.in(2).num_elements() != g.m * g.n;
  }
  return RunGemm(ctx, g);
}

// An axis of the batch, and what each operand steps by along it.
struct BatchAxis {
  int64_t size, a, b, c;
};

using BatchAxes = SmallVector<BatchAxis, kMaxRank>;

// The axes before the matrices, the innermost last, merged where all operands
// step evenly.
BatchAxes BatchAxesOf(const Shape& a, const Shape& b, const Shape& out) {
  auto step = [&](const Shape& x, int i) -> int64_t {
    int axis = i - (out.rank() - x.rank());
    if (axis < 0 || x.dim(axis) == 1) return 0;
    int64_t elements = 1;
    for (int k = axis + 1; k < x.rank(); ++k) elements *= x.dim(k);
    return elements;
  };
  BatchAxes axes;
  for (int i = 0; i < out.rank() - 2; ++i) {
    if (out.dim(i) == 1) continue;
    BatchAxis axis{out.dim(i), step(a, i), step(b, i), step(out, i)};
    if (!axes.empty()) {
      BatchAxis& last = axes.back();
      if (last.a == axis.a * axis.size && last.b == axis.b * axis.size &&
          last.c == axis.c * axis.size) {
        last = {last.size * axis.size, axis.a, axis.b, axis.c};
        continue;
      }
    }
    axes.push_back(axis);
  }
  return axes;
}

Status LaunchBatchMatMul(KernelContext& ctx) {
  if (ctx.out(0).num_elements() == 0) return OkStatus();
  GpuGemm g = ProductOf(ctx);
  BatchAxes axes =
      BatchAxesOf(ctx.in(0).shape(), ctx.in(1).shape(), ctx.out(0).shape());
  if (!axes.empty()) {
    const BatchAxis& inner = axes.back();
    g.batch = inner.size;
    g.a.batch_step = inner.a;
    g.b.batch_step = inner.b;
    g.c_batch_step = inner.c;
  }
  // One launch for each position along the other axes.
  int64_t outer = 1, bytes = DTypeSize(g.dtype);
  for (size_t i = 0; i + 1 < axes.size(); ++i) outer *= axes[i].size;
  for (int64_t place = 0; place < outer; ++place) {
    GpuGemm one = g;
    int64_t rest = place, a = 0, b = 0, c = 0;
    for (size_t i = axes.size() > 1 ? axes.size() - 1 : 0; i-- > 0;) {
      int64_t index = rest % axes[i].size;
      rest /= axes[i].size;
      a += index * axes[i].a, b += index * axes[i].b, c += index * axes[i].c;
    }
    one.a.data = static_cast<const char*>(g.a.data) + a * bytes;
    one.b.data = static_cast<const char*>(g.b.data) + b * bytes;
    one.c = static_cast<char*>(g.c) + c * bytes;
    SL_RETURN_IF_ERROR(RunGemm(ctx, one));
  }
  return OkStatus();
}

Status LaunchMatVec(KernelContext& ctx) {
  const Array &a = ctx.in(0), &x = ctx.in(1);
  bool ta = ctx.attr<bool>("transpose_a");
  GpuGemm g;
  g.dtype = a.dtype();
  g.m = a.dim(ta);
  g.n = 1;
  g.k = a.dim(!ta);
  g.a = {AddressOf(a), a.dim(1), ta};
  g.b = {AddressOf(x), 1, false};
  g.c = AddressOf(ctx.out(0));
  return RunGemm(ctx, g);
}

Status LaunchOuter(KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1);
  GpuGemm g;
  g.dtype = a.dtype();
  g.m = a.num_elements();
  g.n = b.num_elements();
  g.k = 1;
  g.a = {AddressOf(a), 1, false};
  g.b = {AddressOf(b), g.n, false};
  g.c = AddressOf(ctx.out(0));
  return RunGemm(ctx, g);
}

Status LaunchDot(KernelContext& ctx) {
  GpuGemm g;
  g.dtype = ctx.in(0).dtype();
  g.m = g.n = 1;
  g.k = ctx.in(0).num_elements();
  g.a = {AddressOf(ctx.in(0)), g.k, false};
  g.b = {AddressOf(ctx.in(1)), 1, false};
  g.c = AddressOf(ctx.out(0));
  return RunGemm(ctx, g);
}

SL_KERNEL(MatMul, kCuda, {.launch = LaunchMatMul});
SL_BY_LIBRARY(MatMul);
SL_TAKES_ADDEND(MatMul);
SL_KERNEL(BatchMatMul, kCuda, {.launch = LaunchBatchMatMul});
SL_BY_LIBRARY(BatchMatMul);
SL_KERNEL(MatVec, kCuda, {.launch = LaunchMatVec});
SL_BY_LIBRARY(MatVec);
SL_KERNEL(Outer, kCuda, {.launch = LaunchOuter});
SL_BY_LIBRARY(Outer);
SL_KERNEL(Dot, kCuda, {.launch = LaunchDot});
SL_BY_LIBRARY(Dot);

}  // namespace

}  // namespace sluice
