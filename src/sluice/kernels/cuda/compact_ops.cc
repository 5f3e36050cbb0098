// Compaction on a GPU: MaskedSelect and NonZero. The host reads the number of
// selected elements, and waits for it.
#include <vector>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/gather.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/cuda/walk.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// Layout as in source/compact.cuh.
constexpr int64_t kChunk = 4096, kThreads = 256, kSumThreads = 1024;

struct Args {
  const void *x = nullptr, *from = nullptr;
  void* to = nullptr;
  int64_t* starts = nullptr;
  int64_t n = 0, chunks = 0, total = 0;
  int32_t rank = 0;
  int64_t size[kMaxWalkRank] = {};
};

int64_t StartBytes(int64_t n) {
  return AlignUp(((n + kChunk - 1) / kChunk + 1) * 8, 64);
}

class Compaction {
 public:
  // `x` determines the selected elements; elements of `bytes` are moved.
  Compaction(KernelContext& ctx, const Array& x, int64_t bytes)
      : ctx_(ctx),
        before_(StrCat(
            MovedType(bytes), "using X = ",
            x.dtype() == DType::kBool ? "uint8_t" : CudaTypeName(x.dtype()),
            ";\n")) {
    args.x = AddressOf(x);
    args.n = x.num_elements();
    args.chunks = (args.n + kChunk - 1) / kChunk;
    args.starts = static_cast<int64_t*>(ctx.workspace());
  }

  // Waits for the number of selected elements.
  Status Count() {
    if (args.n == 0) return OkStatus();
    SL_RETURN_IF_ERROR(Launch("count_chunks"));
    SL_RETURN_IF_ERROR(Launch("sum_chunks", {1, kSumThreads}));
    Place there{&GpuOf(ctx_).memory(), args.starts + args.chunks};
    ctx_.stream()->Copy({nullptr, &args.total}, there, sizeof args.total);
    return ctx_.stream()->Synchronize();
  }
  Status Launch(const char* name) {
    return Launch(name, GridFor(GpuOf(ctx_), args.chunks * kThreads, kThreads));
  }

  Args args;

 private:
  Status Launch(const char* name, const CudaGrid& grid) {
    SL_ASSIGN_OR_RETURN(
        CUfunction function,
        FileFunction(GpuOf(ctx_), "compact.cuh", before_, name));
    return LaunchCuda(ctx_, function, grid, args);
  }

  KernelContext& ctx_;
  std::string before_;
};

int64_t NonZeroWorkspace(const ShapeContext& c) {
  return StartBytes(c.in(0).ToShape().num_elements());
}

Status NonZero(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  Compaction compact(ctx, x, 1);
  SL_RETURN_IF_ERROR(compact.Count());
  Args& args = compact.args;
  int64_t dims[] = {args.total, x.rank()};
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, DType::kI64, shape));
  if (shape.num_elements() == 0) return OkStatus();
  args.to = AddressOf(ctx.out(0));
  args.rank = x.rank();
  for (int i = 0; i < x.rank(); ++i) args.size[i] = x.dim(i);
  return compact.Launch("write_places");
}

// The chunks' starts and, if there are whole slices, their positions.
int64_t MaskedWorkspace(const ShapeContext& c) {
  int64_t n = c.in(1).ToShape().num_elements();
  bool slices = c.in(0).rank() > c.in(1).rank();
  return StartBytes(n) + (slices ? n * 8 : 0);
}

Status MaskedSelect(KernelContext& ctx) {
  const Array &x = ctx.in(0), &mask = ctx.in(1);
  // Sizes that do not fit are refused by the CPU's kernel, in its words.
  if (mask.rank() == 0 || mask.rank() > x.rank()) return NotServed();
  for (int i = 0; i < mask.rank(); ++i) {
    if (mask.dim(i) != x.dim(i)) return NotServed();
  }
  Compaction compact(ctx, mask, DTypeSize(x.dtype()));
  SL_RETURN_IF_ERROR(compact.Count());
  Args& args = compact.args;
  std::vector<int64_t> dims{args.total};
  RowPick pick;
  pick.size = args.n;
  pick.count = args.total;
  pick.row_bytes = DTypeSize(x.dtype());
  for (int i = mask.rank(); i < x.rank(); ++i) {
    dims.push_back(x.dim(i));
    pick.row_bytes *= x.dim(i);
  }
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, x.dtype(), shape));
  const Array& y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  if (mask.rank() == x.rank()) {
    args.from = AddressOf(x);
    args.to = AddressOf(y);
    return compact.Launch("write_elements");
  }
  args.to = static_cast<char*>(ctx.workspace()) + StartBytes(args.n);
  SL_RETURN_IF_ERROR(compact.Launch("write_places"));
  return GatherRowsOnGpu(ctx, pick, AddressOf(x), DType::kI64, args.to, 0,
                         AddressOf(y));
}

SL_KERNEL(NonZero, kCuda,
          Kernel{.launch = NonZero,
                 .workspace = NonZeroWorkspace,
                 .capturable = false});
SL_KERNEL(MaskedSelect, kCuda,
          Kernel{.launch = MaskedSelect,
                 .workspace = MaskedWorkspace,
                 .capturable = false});

}  // namespace
}  // namespace sluice
