// DynamicPartition on a GPU: rows sorted by part. The host reads the size of
// each part, and waits for it.
#include <vector>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/gather.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/scatter.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

int64_t StartBytes(int64_t parts) { return AlignUp((parts + 1) * 8, 64); }

int64_t Workspace(const ShapeContext& c) {
  return StartBytes(c.num_outputs()) +
         ScatterScratchBytes(c.in(1).ToShape().num_elements());
}

Status DynamicPartition(KernelContext& ctx) {
  struct Args {
    const uint32_t* keys;
    void* starts;
    int64_t n, rows;
  };
  const Array &data = ctx.in(0), &parts = ctx.in(1);
  // Sizes that do not fit are refused by the CPU's kernel, in its words.
  if (parts.rank() > data.rank()) return NotServed();
  for (int i = 0; i < parts.rank(); ++i) {
    if (parts.dim(i) != data.dim(i)) return NotServed();
  }
  int64_t num = ctx.num_outputs(), n = parts.num_elements();
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, num));
  std::vector<int64_t> dims{0}, starts(static_cast<size_t>(num) + 1, 0);
  RowPick pick;
  pick.row_bytes = DTypeSize(data.dtype());
  for (int i = parts.rank(); i < data.rank(); ++i) {
    dims.push_back(data.dim(i));
    pick.row_bytes *= data.dim(i);
  }
  pick.size = n;
  SortedRows sorted;
  auto* there = static_cast<char*>(ctx.workspace());
  if (n > 0) {
    SL_ASSIGN_OR_RETURN(
        sorted, SortByRowOnGpu(ctx, parts.dtype(), AddressOf(parts), n, num,
                               there + StartBytes(num)));
    SL_ASSIGN_OR_RETURN(CUfunction find,
                        FileFunction(GpuOf(ctx), "sort_rows.cuh",
                                     IndexType(parts.dtype()), "row_starts"));
    Args args = {sorted.keys, there, n, num};
    SL_RETURN_IF_ERROR(
        LaunchCuda(ctx, find, GridFor(GpuOf(ctx), num + 1), args));
    ctx.stream()->Copy({nullptr, starts.data()}, {&GpuOf(ctx).memory(), there},
                       (num + 1) * 8);
    SL_RETURN_IF_ERROR(ctx.stream()->Synchronize());
  }
  for (int k = 0; k < num; ++k) {
    auto p = static_cast<size_t>(k);
    dims[0] = pick.count = starts[p + 1] - starts[p];
    SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    SL_RETURN_IF_ERROR(ctx.AllocateOut(k, data.dtype(), shape));
    if (shape.num_elements() == 0) continue;
    SL_RETURN_IF_ERROR(GatherRowsOnGpu(ctx, pick, AddressOf(data), DType::kI32,
                                       sorted.order + starts[p], 0,
                                       AddressOf(ctx.out(k))));
  }
  return OkStatus();
}

SL_KERNEL(DynamicPartition, kCuda,
          Kernel{.launch = DynamicPartition,
                 .workspace = Workspace,
                 .capturable = false});

}  // namespace
}  // namespace sluice
