// Random numbers on a GPU: the CPU's bits, from the same key.
#include <bit>
#include <cmath>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/permutation.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/draw_args.h"
#include "sluice/kernels/cuda/gather.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

DrawArgs ArgsOf(const KernelContext& ctx) {
  DrawArgs args;
  args.to = AddressOf(ctx.out(0));
  args.n = ctx.out(0).num_elements();
  return args;
}

// A thread draws a block of bits, for four elements or two.
Status LaunchDraws(const KernelContext& ctx, const char* file,
                   std::string before, const char* name, const DrawArgs& args) {
  StrAppend(before, "using T = ", CudaTypeName(ctx.out(0).dtype()), ";\n");
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction draw,
                      FileFunction(device, file, before, name));
  return LaunchCuda(ctx, draw, GridFor(device, args.n / 2 + 1), args);
}

// `key`: null for the launch's own.
Status Draw(const KernelContext& ctx, const char* maker,
            const RandomKey* key = nullptr) {
  DrawArgs args = ArgsOf(ctx);
  if (args.n == 0) return OkStatus();
  if (key) {
    args.key = *key;
  } else {
    SetKey(ctx, args);
  }
  std::string before =
      StrCat("struct ", maker, ";\nusing Maker = ", maker, ";\n");
  return LaunchDraws(ctx, "random_fill.cuh", before, "draw", args);
}

Status Uniform(KernelContext& ctx) { return Draw(ctx, "Uniform"); }
Status Normal(KernelContext& ctx) { return Draw(ctx, "Normal"); }
Status TruncatedNormal(KernelContext& ctx) {
  return Draw(ctx, "TruncatedNormal");
}
Status Exponential(KernelContext& ctx) { return Draw(ctx, "Exponential"); }

// Every element of the key counts, and so does its place.
Status KeyedUniform(KernelContext& ctx) {
  auto seed = static_cast<uint64_t>(ctx.attr<int64_t>("seed"));
  RandomKey key = RandomKey::Of(0, seed, 0, 0);
  for (int64_t element : ctx.in(0).i64s()) {
    key.key = RandomKey::Mix(key.key ^ static_cast<uint64_t>(element));
  }
  return Draw(ctx, "Uniform", &key);
}

Status RandomInt(KernelContext& ctx) {
  DrawArgs args = ArgsOf(ctx);
  args.low = static_cast<uint64_t>(ctx.attr<int64_t>("lo"));
  args.range = static_cast<uint64_t>(ctx.attr<int64_t>("hi")) - args.low;
  if (args.range > UINT32_MAX) return NotServed();
  if (args.n == 0) return OkStatus();
  SetKey(ctx, args);
  return LaunchDraws(ctx, "random_int.cuh", "", "random_int", args);
}

Status Dropout(KernelContext& ctx) {
  DrawArgs args = ArgsOf(ctx);
  if (args.n == 0) return OkStatus();
  double rate = ctx.attr<double>("rate");
  SetKey(ctx, args);
  args.from = AddressOf(ctx.in(0));
  args.mask = AddressOf(ctx.out(1));
  args.low = static_cast<uint64_t>(std::ldexp(rate, 32));
  args.scale = rate < 1 ? 1 / (1 - rate) : 0;
  return LaunchDraws(ctx, "random_choice.cuh", "", "dropout", args);
}

Status Bernoulli(KernelContext& ctx) {
  DrawArgs args = ArgsOf(ctx);
  if (args.n == 0) return OkStatus();
  SetKey(ctx, args);
  args.from = AddressOf(ctx.in(0));
  args.check = TakeCheckWith(ctx, [](int64_t place, int64_t bits) {
    return StrCat("p[", place, "] is ", std::bit_cast<double>(bits),
                  "; wanted 0 <= p <= 1");
  });
  Status launched =
      LaunchDraws(ctx, "random_choice.cuh", "", "bernoulli", args);
  CheckIssued(ctx);
  return launched;
}

int64_t ShuffleWorkspace(const ShapeContext& c) { return c.in(0)[0] * 8; }

// The order is drawn on the host, one number after the other; the rows are
// moved here.
Status Shuffle(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  RowPick pick;
  pick.size = pick.count = x.dim(0);
  pick.row_bytes = x.bytes() / pick.count;
  std::vector<int64_t> order(static_cast<size_t>(pick.count));
  FillPermutation(RandomKeyOf(ctx), pick.count, order.data());
  ctx.stream()->Copy({&GpuOf(ctx).memory(), ctx.workspace()},
                     {nullptr, order.data()}, pick.count * 8);
  return GatherRowsOnGpu(ctx, pick, AddressOf(x), DType::kI64, ctx.workspace(),
                         0, AddressOf(y));
}

// The last input identifies the iteration to draw for: the host reads it.
SL_KERNEL(RandomUniform, kCuda, Kernel{.launch = Uniform, .host_inputs = 1});
SL_KERNEL(RandomNormal, kCuda, Kernel{.launch = Normal, .host_inputs = 1});
SL_KERNEL(TruncatedNormal, kCuda,
          Kernel{.launch = TruncatedNormal, .host_inputs = 1});
SL_KERNEL(RandomExponential, kCuda,
          Kernel{.launch = Exponential, .host_inputs = 1});
SL_KERNEL(KeyedUniform, kCuda,
          Kernel{.launch = KeyedUniform, .host_inputs = 1});
SL_KERNEL(RandomInt, kCuda, Kernel{.launch = RandomInt, .host_inputs = 1});
SL_KERNEL(Dropout, kCuda,
          Kernel{.launch = Dropout, .in_place = true, .host_inputs = 2});
SL_KERNEL(Bernoulli, kCuda, Kernel{.launch = Bernoulli, .host_inputs = 2});
SL_KERNEL(Shuffle, kCuda,
          Kernel{.launch = Shuffle,
                 .workspace = ShuffleWorkspace,
                 .capturable = false,
                 .host_inputs = 2});

}  // namespace
}  // namespace sluice
