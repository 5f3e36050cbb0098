// SearchSorted, InvertPermutation and Repeat on a GPU.
#include <algorithm>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/gather.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status SearchSorted(KernelContext& ctx) {
  struct Args {
    const void *sorted, *values;
    void* to;
    int64_t total, n, row;
  };
  const Array &sorted = ctx.in(0), &values = ctx.in(1);
  int64_t total = values.num_elements();
  if (total == 0) return OkStatus();
  bool rows = sorted.rank() > 1;
  Args args = {AddressOf(sorted),
               AddressOf(values),
               AddressOf(ctx.out(0)),
               total,
               sorted.dim(sorted.rank() - 1),
               rows ? values.dim(values.rank() - 1) : total};
  std::string before = StrCat(
      "using T = ", CudaTypeName(sorted.dtype()),
      ";\nconstexpr bool kRight = ", ctx.attr<bool>("right") ? "true" : "false",
      ";\n");
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction search,
      FileFunction(device, "search_sorted.cuh", before, "search"));
  return LaunchCuda(ctx, search, GridFor(device, total), args);
}

Status InvertPermutation(KernelContext& ctx) {
  struct Args {
    const void* x;
    void* to;
    int64_t n;
    CUdeviceptr check[2];
  };
  const Array &x = ctx.in(0), &y = ctx.out(0);
  Args args = {AddressOf(x), AddressOf(y), x.num_elements(), {}};
  if (args.n == 0) return OkStatus();
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 0, args.n));
  // All bits set: larger than any place.
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, y, -1));
  CudaDevice& device = GpuOf(ctx);
  std::string before = IndexType(x.dtype());
  SL_ASSIGN_OR_RETURN(CUfunction first, FileFunction(device, "invert.cuh",
                                                     before, "first_places"));
  SL_ASSIGN_OR_RETURN(CUfunction once,
                      FileFunction(device, "invert.cuh", before, "check_once"));
  CudaGrid grid = GridFor(device, args.n);
  SL_RETURN_IF_ERROR(LaunchCuda(ctx, first, grid, args));
  TakeChecksWith(
      ctx,
      [](int64_t place, std::span<const int64_t> numbers) {
        return StrCat("x[", place, "] is ", numbers[0], ", as x[", numbers[1],
                      "]; wanted every index once");
      },
      args.check);
  Status launched = LaunchCuda(ctx, once, grid, args);
  CheckIssued(ctx);
  CheckIssued(ctx);
  return launched;
}

int64_t AxisSize(const ShapeContext& c) {
  Shape out = c.out(0).ToShape();
  return AxisView(out, c.attr<int64_t>("axis")).size;
}
int64_t RepeatWorkspace(const ShapeContext& c) {
  return c.in(1).rank() == 0 ? 0 : AxisSize(c) * 8;
}

// The host has read the counts: they determine the size of the result.
Status Repeat(KernelContext& ctx) {
  const Array &x = ctx.in(0), &repeats = ctx.in(1), &y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  auto times = [&](int64_t i) {
    return repeats.dtype() == DType::kI64 ? repeats.data<int64_t>()[i]
                                          : int64_t{repeats.data<int32_t>()[i]};
  };
  if (repeats.rank() == 0) {
    Strides from{v.inner, 0, 1}, to{times(0) * v.inner, v.inner, 1};
    int64_t dims[] = {v.outer * v.size, times(0), v.inner};
    SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    return CopyRegionOnGpu(ctx, x.dtype(), shape, AddressOf(x), from,
                           AddressOf(y), to);
  }
  std::vector<int64_t> slices;
  for (int64_t i = 0; i < v.size; ++i) {
    slices.insert(slices.end(), static_cast<size_t>(times(i)), i);
  }
  RowPick pick{v.outer, v.size, v.inner * DTypeSize(x.dtype()),
               static_cast<int64_t>(slices.size())};
  ctx.stream()->Copy({&GpuOf(ctx).memory(), ctx.workspace()},
                     {nullptr, slices.data()}, pick.count * 8);
  return GatherRowsOnGpu(ctx, pick, AddressOf(x), DType::kI64, ctx.workspace(),
                         0, AddressOf(y));
}

SL_KERNEL(SearchSorted, kCuda, Kernel{.launch = SearchSorted});
SL_KERNEL(InvertPermutation, kCuda, Kernel{.launch = InvertPermutation});
// Copies of host data are gone when the launch returns.
SL_KERNEL(Repeat, kCuda,
          Kernel{.launch = Repeat,
                 .workspace = RepeatWorkspace,
                 .capturable = false});

}  // namespace
}  // namespace sluice
