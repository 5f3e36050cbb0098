// Elements and rows changed by index, on a GPU.
#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/cuda/scatter.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status CopyFirst(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  return x.address() == y.address() ? OkStatus() : CopyAllOnGpu(ctx, x, y);
}

// Scratch for as many updates as input `at` has elements.
template <int at>
int64_t PerElement(const ShapeContext& c) {
  return ScatterScratchBytes(c.in(at).ToShape().num_elements());
}

RowScatter JobAlong(const KernelContext& ctx, ScatterOp op, const Array& y,
                    int64_t count) {
  AxisView v(y.shape(), ctx.attr<int64_t>("axis"));
  RowScatter job{.op = op, .dtype = y.dtype()};
  job.outer = v.outer;
  job.rows = v.size;
  job.inner = v.inner;
  job.count = count;
  return job;
}

// Slices along an axis.
template <ScatterOp op>
Status Rows(KernelContext& ctx) {
  const Array &indices = ctx.in(1), &y = ctx.out(0);
  RowScatter job = JobAlong(ctx, op, y, indices.num_elements());
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, job.rows));
  SL_RETURN_IF_ERROR(CopyFirst(ctx));
  return ScatterRowsOnGpu(ctx, job, AddressOf(y), indices.dtype(),
                          AddressOf(indices), AddressOf(ctx.in(2)),
                          ctx.workspace());
}

bool IsHalf(DType t) { return t == DType::kF16 || t == DType::kBF16; }

Status GatherGrad(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &indices = ctx.in(1), &dx = ctx.out(0);
  RowScatter job = JobAlong(ctx, ScatterOp::kAdd, dx, indices.num_elements());
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, job.rows));
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, dx, 0));
  return ScatterRowsOnGpu(ctx, job, AddressOf(dx), indices.dtype(),
                          AddressOf(indices), AddressOf(dy), ctx.workspace(),
                          {.wide = IsHalf(dx.dtype())});
}

// ---- Tuples of indices ----
int64_t Tuples(const Shape& indices) {
  int64_t n = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) n *= indices.dim(i);
  return n;
}
// One number for each tuple, then the workspace for sorting them.
int64_t NumberBytes(int64_t tuples) { return AlignUp(tuples * 8, 64); }

template <int at>
int64_t PerTuple(const ShapeContext& c) {
  int64_t n = std::min(Tuples(c.in(at).ToShape()), kMaxElements / 64);
  return NumberBytes(n) + ScatterScratchBytes(n);
}

// Updates of y, which holds the original elements, at the tuples of input `at`.
Status AtTuples(KernelContext& ctx, int at, ScatterOp op, const Array& updates,
                const Array& y) {
  const Array& indices = ctx.in(at);
  auto depth = static_cast<int>(indices.dim(indices.rank() - 1));
  auto* rows = static_cast<int64_t*>(ctx.workspace());
  SL_RETURN_IF_ERROR(FlattenIndicesOnGpu(ctx, at, y.shape(), rows));
  RowScatter job{.op = op, .dtype = y.dtype()};
  job.rows = 1;
  for (int i = 0; i < y.rank(); ++i) {
    (i < depth ? job.rows : job.inner) *= y.dim(i);
  }
  job.count = Tuples(indices.shape());
  // A single number is the same for all.
  job.same_update = updates.rank() == 0 && indices.rank() == 2;
  return ScatterRowsOnGpu(
      ctx, job, AddressOf(y), DType::kI64, rows, AddressOf(updates),
      static_cast<char*>(ctx.workspace()) + NumberBytes(job.count));
}

template <ScatterOp op>
Status AtTuplesOf(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CopyFirst(ctx));
  return AtTuples(ctx, 1, op, ctx.in(2), ctx.out(0));
}

Status ScatterNd(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, ctx.out(0), 0));
  return AtTuples(ctx, 0, ScatterOp::kAdd, ctx.in(1), ctx.out(0));
}

Status SparseToDense(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(FillFromOnGpu(ctx, ctx.out(0), ctx.in(3)));
  return AtTuples(ctx, 0, ScatterOp::kUpdate, ctx.in(2), ctx.out(0));
}

// ---- One index for each element ----
ScatterOp ModeOf(const Attrs& attrs) {
  const auto& mode = attrs.get<std::string>("mode");
  if (mode == "add") return ScatterOp::kAdd;
  if (mode == "mul") return ScatterOp::kMul;
  if (mode == "min") return ScatterOp::kMin;
  return mode == "max" ? ScatterOp::kMax : ScatterOp::kUpdate;
}

int64_t PutWorkspace(const ShapeContext& c) {
  int64_t n = c.in(1).ToShape().num_elements();
  return NumberBytes(n) + ScatterScratchBytes(n);
}

Status PutAlong(KernelContext& ctx) {
  struct Args {
    const void *from, *index;
    void* to;
    int64_t n, size, count, inner;
  };
  const Array &x = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  AxisView w(indices.shape(), ctx.attr<int64_t>("axis"));
  // As ScatterRowsOnGpu: every element is a separate row.
  if (x.num_elements() >= int64_t{UINT32_MAX} ||
      indices.num_elements() >= INT32_MAX) {
    return NotServed();
  }
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, v.size));
  SL_RETURN_IF_ERROR(CopyFirst(ctx));
  Args args = {nullptr,         AddressOf(indices),
               ctx.workspace(), indices.num_elements(),
               v.size,          w.size,
               v.inner};
  if (args.n == 0) return OkStatus();
  CudaDevice& device = GpuOf(ctx);
  std::string before = StrCat(MovedType(1), IndexType(indices.dtype()),
                              "using Index = int64_t;\n");
  SL_ASSIGN_OR_RETURN(CUfunction places, FileFunction(device, "gather.cuh",
                                                      before, "places_along"));
  SL_RETURN_IF_ERROR(LaunchCuda(ctx, places, GridFor(device, args.n), args));
  RowScatter job{.op = ModeOf(ctx.attrs()), .dtype = x.dtype()};
  job.rows = x.num_elements();
  job.count = args.n;
  return ScatterRowsOnGpu(
      ctx, job, AddressOf(y), DType::kI64, ctx.workspace(),
      AddressOf(ctx.in(2)),
      static_cast<char*>(ctx.workspace()) + NumberBytes(args.n));
}

// Stores the rows of all data at their indices, one input after the other.
Status DynamicStitch(KernelContext& ctx) {
  const Array &indices = ctx.in(0), &y = ctx.out(0);
  // The shape function reads the indices: they are the host's, and few.
  const auto bytes = DTypeSize(indices.dtype());
  int64_t size = y.dim(0), n = indices.num_elements();
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = bytes == 8 ? indices.data<int64_t>()[i]
                            : int64_t{indices.data<int32_t>()[i]};
    if (at >= 0 && at < size) continue;
    return ctx.Error(StrCat(ctx.op().InputName(0), "[", i, "] is ", at,
                            "; wanted 0 <= index < ", size));
  }
  if (y.num_elements() == 0) return OkStatus();
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, y, 0));
  if (n == 0) return OkStatus();
  auto* at = static_cast<char*>(ctx.workspace());
  CudaDevice& device = GpuOf(ctx);
  ctx.stream()->Copy({&device.memory(), at},
                     {nullptr, const_cast<void*>(indices.raw())}, n * bytes);
  RowScatter job{.op = ScatterOp::kUpdate, .dtype = y.dtype()};
  job.rows = size;
  job.inner = y.num_elements() / size;
  void* scratch = at + NumberBytes(n);
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    job.count = ctx.in(i).dim(0);
    SL_RETURN_IF_ERROR(ScatterRowsOnGpu(ctx, job, AddressOf(y), indices.dtype(),
                                        at, AddressOf(ctx.in(i)), scratch));
    at += job.count * bytes;
  }
  return OkStatus();
}
int64_t StitchWorkspace(const ShapeContext& c) {
  int64_t n = c.in(0).ToShape().num_elements();
  return NumberBytes(n) + ScatterScratchBytes(n);
}

#define SL_ROWS(Name, op)                         \
  SL_KERNEL(Name, kCuda,                          \
            Kernel{.launch = Rows<ScatterOp::op>, \
                   .workspace = PerElement<1>,    \
                   .in_place = true})
SL_ROWS(IndexAdd, kAdd);
SL_ROWS(IndexCopy, kUpdate);
SL_ROWS(IndexMax, kMax);
SL_ROWS(IndexMin, kMin);
#undef SL_ROWS

#define SL_TUPLES(Name, op)                             \
  SL_KERNEL(Name, kCuda,                                \
            Kernel{.launch = AtTuplesOf<ScatterOp::op>, \
                   .workspace = PerTuple<1>,            \
                   .in_place = true})
SL_TUPLES(TensorScatterAdd, kAdd);
SL_TUPLES(TensorScatterSub, kSub);
SL_TUPLES(TensorScatterMul, kMul);
SL_TUPLES(TensorScatterMin, kMin);
SL_TUPLES(TensorScatterMax, kMax);
SL_TUPLES(TensorScatterUpdate, kUpdate);
#undef SL_TUPLES

SL_KERNEL(GatherGrad, kCuda,
          Kernel{.launch = GatherGrad, .workspace = PerElement<1>});
SL_KERNEL(ScatterNd, kCuda,
          Kernel{.launch = ScatterNd, .workspace = PerTuple<0>});
SL_KERNEL(SparseToDense, kCuda,
          Kernel{.launch = SparseToDense, .workspace = PerTuple<0>});
SL_KERNEL(PutAlong, kCuda,
          Kernel{
              .launch = PutAlong, .workspace = PutWorkspace, .in_place = true});
// Copies of host data are gone when the launch returns.
SL_KERNEL(DynamicStitch, kCuda,
          Kernel{.launch = DynamicStitch,
                 .workspace = StitchWorkspace,
                 .capturable = false});

}  // namespace
}  // namespace sluice
