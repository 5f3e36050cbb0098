// Elements and rows picked by index, on a GPU.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cuda/gather.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

constexpr int64_t kNear = int64_t{1} << 31;

std::string Before(int64_t bytes, DType index, bool near) {
  return StrCat(MovedType(bytes), IndexType(index), "using Index = int",
                near ? "32" : "64", "_t;\n");
}

}  // namespace

Status GatherRowsOnGpu(const KernelContext& ctx, const RowPick& pick,
                       const void* from, DType index_dtype, const void* index,
                       CUdeviceptr check, void* to) {
  struct Args {
    const void *from, *index;
    void* to;
    CUdeviceptr check;
    int64_t n, size, row, count;
  };
  int64_t bytes = MovedBytes(pick.row_bytes, from, to);
  int64_t row = pick.row_bytes / bytes;
  Args args = {
      from,      index, to,        check, pick.outer * pick.count * row,
      pick.size, row,   pick.count};
  if (args.n == 0) return OkStatus();
  bool near = args.n < kNear && pick.outer * pick.size * row < kNear;
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction gather,
                      FileFunction(device, "gather.cuh",
                                   Before(bytes, index_dtype, near), "gather"));
  return LaunchCuda(ctx, gather, GridFor(device, args.n), args);
}

namespace {

Status Gather(KernelContext& ctx) {
  const Array &params = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  AxisView v(params.shape(), ctx.attr<int64_t>("axis"));
  if (y.num_elements() == 0) return CheckIndicesOnGpu(ctx, 1, v.size);
  RowPick pick{v.outer, v.size, v.inner * DTypeSize(params.dtype()),
               indices.num_elements()};
  Status launched = GatherRowsOnGpu(
      ctx, pick, AddressOf(params), indices.dtype(), AddressOf(indices),
      TakeIndexCheck(ctx, 1, v.size), AddressOf(y));
  CheckIssued(ctx);
  return launched;
}

int64_t Tuples(const Shape& indices) {
  int64_t n = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) n *= indices.dim(i);
  return n;
}
int64_t GatherNdWorkspace(const ShapeContext& c) {
  return std::min(Tuples(c.in(1).ToShape()), kMaxElements / 8) * 8;
}

Status GatherNd(KernelContext& ctx) {
  const Array &params = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  auto* rows = static_cast<int64_t*>(ctx.workspace());
  SL_RETURN_IF_ERROR(FlattenIndicesOnGpu(ctx, 1, params.shape(), rows));
  if (y.num_elements() == 0) return OkStatus();
  RowPick pick;
  pick.count = Tuples(indices.shape());
  pick.row_bytes = y.num_elements() / pick.count * DTypeSize(y.dtype());
  pick.size = params.bytes() / std::max<int64_t>(pick.row_bytes, 1);
  return GatherRowsOnGpu(ctx, pick, AddressOf(params), DType::kI64, rows, 0,
                         AddressOf(y));
}

Status TakeAlong(KernelContext& ctx) {
  struct Args {
    const void *from, *index;
    void* to;
    int64_t n, size, count, inner;
  };
  const Array &x = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  AxisView w(indices.shape(), ctx.attr<int64_t>("axis"));
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, v.size));
  Args args = {AddressOf(x), AddressOf(indices),
               AddressOf(y), y.num_elements(),
               v.size,       w.size,
               v.inner};
  if (args.n == 0) return OkStatus();
  bool near = args.n < kNear && x.num_elements() < kNear;
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction take,
      FileFunction(device, "gather.cuh",
                   Before(DTypeSize(x.dtype()), indices.dtype(), near),
                   "take_along"));
  return LaunchCuda(ctx, take, GridFor(device, args.n), args);
}

Status ReverseSequence(KernelContext& ctx) {
  struct Args {
    const void *from = nullptr, *lengths = nullptr;
    void* to = nullptr;
    int64_t n = 0, row = 1, first = 1, second = 1, b = 1, step = 1;
    int32_t seq_first = 0;
  } args;
  const Array &x = ctx.in(0), &lengths = ctx.in(1), &y = ctx.out(0);
  auto axis = [&](std::string_view name) {
    int64_t i = ctx.attr<int64_t>(name);
    return static_cast<int>(i < 0 ? i + x.rank() : i);
  };
  int seq = axis("seq_axis"), batch = axis("batch_axis");
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, x.dim(seq) + 1));
  args.n = x.num_elements();
  if (args.n == 0) return OkStatus();
  args.from = AddressOf(x);
  args.lengths = AddressOf(lengths);
  args.to = AddressOf(y);
  int low = std::min(seq, batch), high = std::max(seq, batch);
  args.first = x.dim(low);
  args.second = x.dim(high);
  for (int i = low + 1; i < x.rank(); ++i) {
    if (i < high) args.b *= x.dim(i);
    if (i > high) args.row *= x.dim(i);
  }
  args.seq_first = seq < batch ? 1 : 0;
  args.step = args.seq_first ? args.b * args.second : 1;
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction reverse,
      FileFunction(device, "gather.cuh",
                   Before(DTypeSize(x.dtype()), lengths.dtype(), false),
                   "reverse_sequence"));
  return LaunchCuda(ctx, reverse, GridFor(device, args.n), args);
}

SL_KERNEL(Gather, kCuda, Kernel{.launch = Gather});
SL_KERNEL(GatherNd, kCuda,
          Kernel{.launch = GatherNd, .workspace = GatherNdWorkspace});
SL_KERNEL(TakeAlong, kCuda, Kernel{.launch = TakeAlong});
SL_KERNEL(ReverseSequence, kCuda, Kernel{.launch = ReverseSequence});

}  // namespace
}  // namespace sluice
