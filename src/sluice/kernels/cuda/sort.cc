// Sort, ArgSort and TopK (source/sort.cuh).
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

constexpr int64_t kTile = 2048;  // as in source/sort.cuh
// More results than this are merged rather than selected tile by tile.
constexpr int64_t kFew = kTile / 2;

// Layout as in source/sort.cuh.
struct Args {
  const void* x = nullptr;
  const void* from = nullptr;
  void* to = nullptr;
  void *values = nullptr, *index = nullptr;
  int64_t rows = 0, size = 0, inner = 1;
  int64_t n = 0, tiles = 1, width = 1, keep = 0, k = 0, run = 0;
  int64_t descending = 0;
};

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The items of a row after the first round of tiles; 0: there is only one
// round.
int64_t KeptItems(int64_t size, int64_t k) {
  if (size <= kTile) return 0;
  return CeilDiv(size, kTile) * (k <= kFew ? k : kTile);
}

int64_t Results(const Attrs& attrs, int64_t size) {
  const AttrValue* k = attrs.find("k");
  return k ? k->get<int64_t>() : size;
}

int64_t ItemBytes(DType dtype) { return DTypeSize(dtype) <= 4 ? 8 : 16; }

int64_t Space(const ShapeContext& c) {
  Shape x = c.in(0).ToShape();
  if (x.num_elements() == 0) return 0;
  AxisView v(x, c.attr<int64_t>("axis"));
  int64_t items = KeptItems(v.size, Results(c.attrs(), v.size));
  return 2 * v.outer * v.inner * items * ItemBytes(c.in_dtype(0));
}

class Sorter {
 public:
  Sorter(KernelContext& ctx, bool keep_zeros)
      : ctx_(ctx),
        before_(StrCat(ElementType(ctx.in(0).dtype()),
                       "\n#define SL_KEEP_ZEROS ",
                       keep_zeros ? "true" : "false")) {}

  // `args` contains the results' addresses and the order.
  Status Run(Args args) {
    const Array& x = ctx_.in(0);
    if (ctx_.out(0).num_elements() == 0) return OkStatus();
    AxisView v(x.shape(), ctx_.attr<int64_t>("axis"));
    if (v.size >= (int64_t{1} << 32) - 1) return NotServed();
    args.x = AddressOf(x);
    args.rows = v.outer * v.inner;
    args.size = args.n = v.size;
    args.inner = v.inner;
    args.k = Results(ctx_.attrs(), v.size);
    bool few = args.k <= kFew;
    args.keep = few ? args.k : kTile;
    char* halves[2] = {static_cast<char*>(ctx_.workspace()), nullptr};
    halves[1] = halves[0] +
                args.rows * KeptItems(v.size, args.k) * ItemBytes(x.dtype());
    // Tiles, repeatedly while few of each continue.
    int half = 0;
    while (args.n > kTile) {
      args.tiles = CeilDiv(args.n, kTile);
      args.width = kTile;
      args.to = halves[half];
      SL_RETURN_IF_ERROR(Tiles(args));
      args.from = halves[half];
      half = 1 - half;
      args.n = args.tiles * args.keep;
      if (!few) return Merge(args, halves, half);
    }
    args.tiles = 1;
    args.width = PowerOfTwo(args.n, kTile);
    args.to = nullptr;
    return Tiles(args);
  }

 private:
  Status Tiles(const Args& args) {
    int64_t groups = CeilDiv(args.rows * args.tiles * args.width, kTile);
    SL_ASSIGN_OR_RETURN(CUfunction sort, Function("sort_tiles"));
    return LaunchCuda(ctx_, sort, {std::min<int64_t>(groups, 1 << 20), 512},
                      args);
  }

  Status Merge(Args args, char* const (&halves)[2], int half) {
    CudaDevice& device = GpuOf(ctx_);
    SL_ASSIGN_OR_RETURN(CUfunction merge, Function("merge_runs"));
    for (args.run = kTile; args.run < args.n; args.run *= 2) {
      args.to = halves[half];
      SL_RETURN_IF_ERROR(
          LaunchCuda(ctx_, merge, GridFor(device, args.rows * args.n), args));
      args.from = halves[half];
      half = 1 - half;
    }
    args.to = nullptr;
    SL_ASSIGN_OR_RETURN(CUfunction write, Function("write_sorted"));
    return LaunchCuda(ctx_, write, GridFor(device, args.rows * args.k), args);
  }

  Result<CUfunction> Function(const char* name) {
    return FileFunction(GpuOf(ctx_), "sort.cuh", before_, name);
  }

  KernelContext& ctx_;
  std::string before_;
};

Status Sort(KernelContext& ctx) {
  Args args;
  args.values = AddressOf(ctx.out(0));
  args.descending = ctx.attr<bool>("descending");
  return Sorter(ctx, true).Run(args);
}
Status ArgSort(KernelContext& ctx) {
  Args args;
  args.index = AddressOf(ctx.out(0));
  args.descending = ctx.attr<bool>("descending");
  return Sorter(ctx, false).Run(args);
}
Status TopK(KernelContext& ctx) {
  Args args;
  args.values = AddressOf(ctx.out(0));
  args.index = AddressOf(ctx.out(1));
  args.descending = ctx.attr<bool>("largest");
  return Sorter(ctx, false).Run(args);
}

SL_KERNEL(Sort, kCuda, Kernel{.launch = Sort, .workspace = Space});
SL_KERNEL(ArgSort, kCuda, Kernel{.launch = ArgSort, .workspace = Space});
SL_KERNEL(TopK, kCuda, Kernel{.launch = TopK, .workspace = Space});

}  // namespace

}  // namespace sluice
