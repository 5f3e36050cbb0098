// Segment reductions on a GPU: rows folded by id, in order.
#include <limits>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/segment.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/cuda/scatter.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

ScatterOp OpOf(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kProd:
      return ScatterOp::kMul;
    case SegmentKind::kMin:
      return ScatterOp::kMin;
    case SegmentKind::kMax:
      return ScatterOp::kMax;
    default:
      return ScatterOp::kAdd;
  }
}
double StartOf(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kProd:
      return 1;
    case SegmentKind::kMin:
      return kInf;
    case SegmentKind::kMax:
      return -kInf;
    default:
      return 0;
  }
}

Status Reduce(KernelContext& ctx, SegmentKind kind, const void* ids,
              void* scratch) {
  const Array& y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, y, StartOf(kind)));
  RowScatter job{.op = OpOf(kind), .dtype = y.dtype()};
  job.rows = y.dim(0);
  job.inner = y.num_elements() / job.rows;
  job.count = ctx.in(1).num_elements();
  ScatterFold how;
  how.wide = y.dtype() == DType::kF16 || y.dtype() == DType::kBF16;
  how.mean = kind == SegmentKind::kMean;
  return ScatterRowsOnGpu(ctx, job, AddressOf(y), ctx.in(1).dtype(), ids,
                          AddressOf(ctx.in(0)), scratch, how);
}

int64_t Workspace(const ShapeContext& c) {
  return ScatterScratchBytes(c.in(1).ToShape().num_elements());
}

template <SegmentKind kind>
Status Unsorted(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckIndicesBelowOnGpu(ctx, 1, ctx.out(0).dim(0)));
  return Reduce(ctx, kind, AddressOf(ctx.in(1)), ctx.workspace());
}

// The last id determines the number of segments, so ids are on the host.
int64_t IdBytes(int64_t count) { return AlignUp(count * 8, 64); }

int64_t SortedWorkspace(const ShapeContext& c) {
  return IdBytes(c.in(1).ToShape().num_elements()) + Workspace(c);
}

template <SegmentKind kind>
Status Sorted(KernelContext& ctx) {
  const Array& ids = ctx.in(1);
  int64_t n = ids.num_elements(), last = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t id = ids.dtype() == DType::kI64 ? ids.data<int64_t>()[i]
                                            : int64_t{ids.data<int32_t>()[i]};
    if (id < last) {
      return ctx.Error(StrCat("ids[", i, "] is ", id, " after ", last,
                              "; wanted ids from 0 that never fall"));
    }
    last = id;
  }
  if (n == 0) return OkStatus();
  auto* here = static_cast<char*>(ctx.workspace());
  ctx.stream()->Copy({&GpuOf(ctx).memory(), here},
                     {nullptr, const_cast<void*>(ids.raw())}, ids.bytes());
  return Reduce(ctx, kind, here, here + IdBytes(n));
}

// Ids copied from the host are gone when the launch returns.
#define SL_SEGMENT(Name, kind)                          \
  SL_KERNEL(Segment##Name, kCuda,                       \
            Kernel{.launch = Sorted<SegmentKind::kind>, \
                   .workspace = SortedWorkspace,        \
                   .capturable = false});               \
  SL_KERNEL(                                            \
      UnsortedSegment##Name, kCuda,                     \
      Kernel{.launch = Unsorted<SegmentKind::kind>, .workspace = Workspace})
SL_SEGMENT(Sum, kSum);
SL_SEGMENT(Mean, kMean);
SL_SEGMENT(Prod, kProd);
SL_SEGMENT(Min, kMin);
SL_SEGMENT(Max, kMax);
#undef SL_SEGMENT

}  // namespace
}  // namespace sluice
