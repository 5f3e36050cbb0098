// EmbeddingBag and its gradient on a GPU.
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// Layout as in source/embedding_bag.cuh.
struct Args {
  const void *from = nullptr, *index = nullptr, *offsets = nullptr;
  void* to = nullptr;
  int64_t rows = 0, columns = 0, bags = 0, count = 0;
  int32_t mean = 0;
  CUdeviceptr check[2] = {};
};

Result<CUfunction> BagFunction(const KernelContext& ctx, const char* name) {
  std::string before = StrCat("using T = ", CudaTypeName(ctx.in(0).dtype()),
                              ";\n", IndexType(ctx.in(1).dtype()));
  return FileFunction(GpuOf(ctx), "embedding_bag.cuh", before, name);
}

Status CheckOffsets(KernelContext& ctx, Args args) {
  int64_t count = args.count;
  if (args.bags == 0) {
    if (count == 0) return OkStatus();
    return ctx.Error(
        StrCat("offsets are none; wanted a bag for ", count, " indices"));
  }
  TakeChecksWith(
      ctx,
      [=](int64_t bag, std::span<const int64_t> numbers) {
        return StrCat("offsets[", bag, "] is ", numbers[0], "; wanted ",
                      numbers[1], " <= offset <= ", bag == 0 ? 0 : count);
      },
      args.check);
  Result<CUfunction> check = BagFunction(ctx, "check_offsets");
  Status launched = check.status();
  if (launched.ok()) {
    launched = LaunchCuda(ctx, *check, GridFor(GpuOf(ctx), args.bags), args);
  }
  CheckIssued(ctx);
  CheckIssued(ctx);
  return launched;
}

Args ArgsOf(KernelContext& ctx) {
  Args args;
  args.from = AddressOf(ctx.in(0));
  args.index = AddressOf(ctx.in(1));
  args.offsets = AddressOf(ctx.in(2));
  args.to = AddressOf(ctx.out(0));
  args.rows = ctx.in(0).dim(0);
  args.columns = ctx.in(0).dim(1);
  args.bags = ctx.in(2).num_elements();
  args.count = ctx.in(1).num_elements();
  args.mean = ctx.attr<std::string>("mode") == "mean" ? 1 : 0;
  return args;
}

Status EmbeddingBag(KernelContext& ctx) {
  Args args = ArgsOf(ctx);
  SL_RETURN_IF_ERROR(CheckOffsets(ctx, args));
  SL_RETURN_IF_ERROR(CheckIndicesOnGpu(ctx, 1, args.rows));
  int64_t n = args.bags * args.columns;
  if (n == 0) return OkStatus();
  SL_ASSIGN_OR_RETURN(CUfunction sums, BagFunction(ctx, "bag_sums"));
  return LaunchCuda(ctx, sums, GridFor(GpuOf(ctx), n), args);
}

Status EmbeddingBagGrad(KernelContext& ctx) {
  Args args = ArgsOf(ctx);
  SL_RETURN_IF_ERROR(CheckOffsets(ctx, args));
  int64_t n = args.count * args.columns;
  if (n == 0) return OkStatus();
  SL_ASSIGN_OR_RETURN(CUfunction rows, BagFunction(ctx, "bag_rows"));
  return LaunchCuda(ctx, rows, GridFor(GpuOf(ctx), n), args);
}

SL_KERNEL(EmbeddingBag, kCuda, Kernel{.launch = EmbeddingBag});
SL_KERNEL(EmbeddingBagGrad, kCuda, Kernel{.launch = EmbeddingBagGrad});

}  // namespace
}  // namespace sluice
