#include "sluice/kernels/cuda/scatter.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/move.h"

namespace sluice {

namespace {

// Must agree with source/sort_rows.cuh.
constexpr int64_t kDigits = 256, kTile = 4096, kThreads = 256;
constexpr int64_t kSumThreads = 1024;

struct SortArgs {
  const void* index = nullptr;
  int64_t rows = 0;
  uint32_t *keys = nullptr, *order = nullptr;
  uint32_t *keys_out = nullptr, *order_out = nullptr;
  uint32_t* starts = nullptr;
  int64_t n = 0, tiles = 0;
  int32_t shift = 0, passes = 0;
};

int64_t ListBytes(int64_t count) { return AlignUp(count * 4, 64); }
int64_t Tiles(int64_t count) { return (count + kTile - 1) / kTile; }

// The struct of kernels/cpu/scatter_formulas.h.
const char* FormulaOf(ScatterOp op) {
  switch (op) {
    case ScatterOp::kAdd:
      return "AddFn";
    case ScatterOp::kSub:
      return "SubFn";
    case ScatterOp::kMul:
      return "MulFn";
    case ScatterOp::kMin:
      return "MinFn";
    case ScatterOp::kMax:
      return "MaxFn";
    default:
      return "UpdateFn";
  }
}

bool Takes(ScatterOp op, DType dtype) {
  if (op == ScatterOp::kUpdate) return IsPlainData(dtype);
  bool ordered = op == ScatterOp::kMin || op == ScatterOp::kMax;
  return (ordered ? kReals : kNumbers).contains(dtype);
}

}  // namespace

Result<SortedRows> SortByRowOnGpu(const KernelContext& ctx, DType index_dtype,
                                  const void* index, int64_t count,
                                  int64_t rows, void* scratch) {
  if (count >= INT32_MAX || rows >= int64_t{UINT32_MAX}) return NotServed();
  auto* lists = static_cast<char*>(scratch);
  auto list = [&](int64_t i) {
    return reinterpret_cast<uint32_t*>(lists + i * ListBytes(count));
  };
  SortArgs args;
  args.index = index;
  args.rows = rows;
  args.keys = list(0);
  args.order = list(1);
  args.keys_out = list(2);
  args.order_out = list(3);
  args.starts = list(4);
  args.n = count;
  args.tiles = Tiles(count);
  args.passes = (std::bit_width(static_cast<uint64_t>(rows)) + 7) / 8;
  CudaDevice& device = GpuOf(ctx);
  std::string before = IndexType(index_dtype);
  auto launch = [&](const char* name, const CudaGrid& grid) -> Status {
    SL_ASSIGN_OR_RETURN(CUfunction function,
                        FileFunction(device, "sort_rows.cuh", before, name));
    return LaunchCuda(ctx, function, grid, args);
  };
  auto swap = [&] {
    std::swap(args.keys, args.keys_out);
    std::swap(args.order, args.order_out);
  };
  if (args.tiles == 1) {
    SL_RETURN_IF_ERROR(launch("sort_tile", {1, kThreads}));
    if (args.passes % 2) swap();
    return SortedRows{args.keys, args.order};
  }
  SL_RETURN_IF_ERROR(launch("row_keys", GridFor(device, count)));
  CudaGrid each = GridFor(device, args.tiles * kThreads, kThreads);
  for (int32_t pass = 0; pass < args.passes; ++pass) {
    args.shift = 8 * pass;
    SL_RETURN_IF_ERROR(launch("count_digits", each));
    SL_RETURN_IF_ERROR(launch("sum_digits", {1, kSumThreads}));
    SL_RETURN_IF_ERROR(launch("put_digits", each));
    swap();
  }
  return SortedRows{args.keys, args.order};
}

int64_t ScatterScratchBytes(int64_t count) {
  int64_t starts = Tiles(count) > 1 ? Tiles(count) * kDigits * 4 : 0;
  return std::max<int64_t>(64, 4 * ListBytes(count) + starts);
}

Status ScatterRowsOnGpu(const KernelContext& ctx, const RowScatter& scatter,
                        void* target, DType index_dtype, const void* index,
                        const void* updates, void* scratch, ScatterFold how) {
  struct Args {
    void* target;
    const void* updates;
    const uint32_t *keys, *order;
    int64_t n, rows, inner, count;
    int32_t same_update;
  };
  if (!Takes(scatter.op, scatter.dtype)) return NotServed();
  int64_t inner = scatter.inner;
  if (scatter.outer == 0 || inner == 0 || scatter.count == 0 ||
      scatter.rows == 0) {
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(SortedRows sorted,
                      SortByRowOnGpu(ctx, index_dtype, index, scatter.count,
                                     scatter.rows, scratch));
  std::string before, file = "scatter_fold.cuh", name = "fold";
  if (scatter.op == ScatterOp::kUpdate) {
    int64_t row = inner * DTypeSize(scatter.dtype);
    int64_t bytes = MovedBytes(row, target, updates);
    inner = row / bytes;
    before = MovedType(bytes);
    file = "scatter_put.cuh";
    name = "put";
  } else {
    std::string_view formula = FormulaOf(scatter.op);
    std::string_view type = CudaTypeName(scatter.dtype);
    before = StrCat("using T = ", type, ";\nusing U = ", type,
                    ";\nnamespace scatter_formulas {\nstruct ", formula,
                    ";\n}\nusing F = scatter_formulas::", formula,
                    ";\nconstexpr bool kWide = ", how.wide ? "true" : "false",
                    ", kMean = ", how.mean ? "true" : "false", ";\n");
  }
  Args args = {target,
               updates,
               sorted.keys,
               sorted.order,
               scatter.outer * scatter.count * inner,
               scatter.rows,
               inner,
               scatter.count,
               scatter.same_update ? 1 : 0};
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction function,
                      FileFunction(device, file, before, name));
  return LaunchCuda(ctx, function, GridFor(device, args.n), args);
}

}  // namespace sluice
