// Batch normalisation and its gradient (source/batch_norm.cuh).
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/channels_last.h"
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/batch_norm.cuh.
struct Args {
  GpuReduceShape s;
  const void *dy = nullptr, *x = nullptr, *scale = nullptr, *offset = nullptr;
  const void *mean_in = nullptr, *variance_in = nullptr;
  void* y = nullptr;
  void *mean = nullptr, *variance = nullptr;
  void *dscale = nullptr, *doffset = nullptr;
  int64_t elements = 0, channels = 0, run = 1;
  double count = 0, epsilon = 0;
  void *affine = nullptr, *parts = nullptr;
};

// All axes but that of channels.
constexpr uint32_t kSummed = ~2u;
// The maximum scratch space of a channel for each kind.
constexpr int64_t kChannelBytes = 32;

int64_t ScratchBytes(int64_t channels) { return 2 * channels * kChannelBytes; }

// Enough for every layout.
int64_t Space(const ShapeContext& c) {
  Shape x = c.in(0).ToShape();
  int64_t channels = x.dim(1), rows = x.dim(0);
  for (int i = 2; i < x.rank(); ++i) rows *= x.dim(i);
  return ScratchBytes(channels) +
         std::max(
             ReducePlan(x, kSummed, channels).partial_bytes(),
             ReducePlan({rows, channels}, kSummed, channels).partial_bytes());
}

Args ArgsOf(const KernelContext& ctx, const Array& x) {
  Args args;
  args.x = AddressOf(x);
  args.y = AddressOf(ctx.out(0));
  args.elements = x.num_elements();
  args.channels = x.dim(1);
  for (int i = 2; i < x.rank(); ++i) args.run *= x.dim(i);
  args.count = static_cast<double>(x.dim(0) * args.run);
  args.epsilon = ctx.attr<double>("epsilon");
  auto* scratch = static_cast<char*>(ctx.workspace());
  args.affine = scratch;
  args.parts = scratch + args.channels * kChannelBytes;
  return args;
}

std::string TypesOf(DType x, DType stats) {
  return StrCat(ElementType(x), " using S = ", CudaTypeName(stats), ";");
}

// The elements of one channel, or of adjacent channels, that fit in 16 bytes.
int64_t PackOf(const Args& args, DType dtype) {
  int64_t pack = 16 / DTypeSize(dtype);
  for (const void* p : {args.x, args.dy, const_cast<const void*>(args.y)}) {
    if (reinterpret_cast<uintptr_t>(p) % 16 != 0) return 1;
  }
  int64_t side_by_side = args.run == 1 ? args.channels : args.run;
  return side_by_side % pack == 0 ? pack : 1;
}

Status Sums(const KernelContext& ctx, const Shape& x, const std::string& types,
            const char* channel, Args args) {
  char* partial =
      static_cast<char*>(ctx.workspace()) + ScratchBytes(args.channels);
  ReducePlan plan(x, kSummed, args.channels);
  int64_t pack = PackOf(args, ctx.in(0).dtype());
  args.s.packed = pack > 1 && plan.Packs(pack);
  return LaunchReduce(ctx, "batch_norm.cuh",
                      StrCat(types, "\n#define SL_CHANNEL ", channel), plan,
                      partial, args);
}

Status Each(const KernelContext& ctx, const std::string& types,
            const char* name, int64_t n, const Args& args) {
  if (n == 0) return OkStatus();
  CudaDevice& device = GpuOf(ctx);
  int64_t pack = PackOf(args, ctx.in(0).dtype());
  SL_ASSIGN_OR_RETURN(
      CUfunction function,
      FileFunction(device, "batch_norm.cuh",
                   StrCat(types, "\n#define SL_PACK ", pack,
                          "\n#define SL_ROWS ", args.run == 1 ? 1 : 0),
                   name));
  CudaGrid grid = GridFor(device, n / pack + 1);
  // In rows a thread loads the values of its channels once: it needs enough
  // work to be worth it.
  if (args.run == 1) {
    grid.blocks = std::min<int64_t>(grid.blocks, 8 * device.num_processors());
  }
  return LaunchCuda(ctx, function, grid, args);
}

Status Train(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  Args args = ArgsOf(ctx, x);
  args.scale = AddressOf(ctx.in(1));
  args.offset = AddressOf(ctx.in(2));
  args.mean = AddressOf(ctx.out(1));
  args.variance = AddressOf(ctx.out(2));
  std::string types = TypesOf(x.dtype(), ctx.out(1).dtype());
  SL_RETURN_IF_ERROR(Sums(ctx, x.shape(), types, "ChannelMoments", args));
  return Each(ctx, types, "apply_affine", args.elements, args);
}

Status Infer(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  Args args = ArgsOf(ctx, x);
  if (args.elements == 0) return OkStatus();
  args.scale = AddressOf(ctx.in(1));
  args.offset = AddressOf(ctx.in(2));
  args.mean_in = AddressOf(ctx.in(3));
  args.variance_in = AddressOf(ctx.in(4));
  std::string types = TypesOf(x.dtype(), ctx.in(3).dtype());
  SL_RETURN_IF_ERROR(Each(ctx, types, "channel_affine", args.channels, args));
  return Each(ctx, types, "apply_affine", args.elements, args);
}

Status Gradient(KernelContext& ctx) {
  const Array& x = ctx.in(1);
  Args args = ArgsOf(ctx, x);
  args.dy = AddressOf(ctx.in(0));
  args.scale = AddressOf(ctx.in(2));
  args.mean_in = AddressOf(ctx.in(3));
  args.variance_in = AddressOf(ctx.in(4));
  args.dscale = AddressOf(ctx.out(1));
  args.doffset = AddressOf(ctx.out(2));
  std::string types = TypesOf(x.dtype(), ctx.in(3).dtype());
  SL_RETURN_IF_ERROR(Each(ctx, types, "channel_affine", args.channels, args));
  SL_RETURN_IF_ERROR(Sums(ctx, x.shape(), types, "ChannelGrads", args));
  return Each(ctx, types, "apply_parts", args.elements, args);
}

SL_KERNEL(BatchNorm, kCuda, Kernel{.launch = Train, .workspace = Space});
SL_KERNEL(BatchNormInference, kCuda,
          Kernel{.launch = Infer, .workspace = Space, .in_place = true});
SL_KERNEL(BatchNormGrad, kCuda, Kernel{.launch = Gradient, .workspace = Space});

SL_CHANNELS_LAST(BatchNorm, {.inputs = 1, .outputs = 1, .as_rows = true});
SL_CHANNELS_LAST(BatchNormInference,
                 {.inputs = 1, .outputs = 1, .as_rows = true});
SL_CHANNELS_LAST(BatchNormGrad, {.inputs = 3, .outputs = 1, .as_rows = true});

}  // namespace

}  // namespace sluice
