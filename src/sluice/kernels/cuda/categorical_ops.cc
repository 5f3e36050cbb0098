// Classes drawn from rows of weights, on a GPU: the CPU's draws.
#include <bit>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/random_key.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// Layout as in source/categorical.cuh.
struct Args {
  const void* x = nullptr;
  void *sums = nullptr, *to = nullptr;
  int64_t rows = 1, n = 0, samples = 0;
  RandomKey key;
  CUdeviceptr check = 0;
};
constexpr int64_t kThreads = 256;

int64_t Workspace(const ShapeContext& c) {
  return c.in(0).ToShape().num_elements() * 8;
}

// `again`: a class may be drawn more than once.
Status Draw(KernelContext& ctx, bool logits, bool again, FindingText text) {
  const Array& x = ctx.in(0);
  Args args;
  args.x = AddressOf(x);
  args.sums = ctx.workspace();
  args.to = AddressOf(ctx.out(0));
  args.n = x.dim(x.rank() - 1);
  for (int i = 0; i + 1 < x.rank(); ++i) args.rows *= x.dim(i);
  args.samples = ctx.attr<int64_t>("num_samples");
  int64_t all = args.rows * args.samples;
  if (all == 0) return OkStatus();
  args.key = RandomKeyOf(ctx);
  std::string before =
      StrCat("using T = ", CudaTypeName(x.dtype()),
             ";\nconstexpr bool kLogits = ", logits ? "true" : "false", ";\n");
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction sums, FileFunction(device, "categorical.cuh",
                                                    before, "running_sums"));
  SL_ASSIGN_OR_RETURN(CUfunction draw,
                      FileFunction(device, "categorical.cuh", before,
                                   again ? "draw_columns" : "draw_first"));
  args.check = TakeCheckWith(ctx, std::move(text));
  CudaGrid each_row = GridFor(device, args.rows * kThreads, kThreads);
  Status summed = LaunchCuda(ctx, sums, each_row, args);
  CheckIssued(ctx);
  SL_RETURN_IF_ERROR(summed);
  if (again) return LaunchCuda(ctx, draw, GridFor(device, all), args);
  int64_t samples = args.samples;
  args.check = TakeCheckWith(ctx, [samples](int64_t row, int64_t) {
    return StrCat("row ", row, " of p has fewer than ", samples,
                  " classes that are not 0; wanted that many to draw without "
                  "replacement");
  });
  Status drawn = LaunchCuda(ctx, draw, each_row, args);
  CheckIssued(ctx);
  return drawn;
}

// The weight that a report is about; -1: the entire row.
struct Found {
  int64_t row, column;
  Found(int64_t place, int64_t n)
      : row(place / (n + 1)), column(place % (n + 1) - 1) {}
};

Status Categorical(KernelContext& ctx) {
  int64_t n = ctx.in(0).dim(ctx.in(0).rank() - 1);
  return Draw(
      ctx, /*logits=*/true, /*again=*/true, [n](int64_t place, int64_t) {
        Found found(place, n);
        return found.column >= 0
                   ? StrCat("logits[", found.row * n + found.column,
                            "] is not finite; wanted finite numbers or minus "
                            "infinity")
                   : StrCat("row ", found.row,
                            " of logits has no number above minus infinity");
      });
}

Status Multinomial(KernelContext& ctx) {
  bool again = ctx.attr<bool>("replacement");
  int64_t n = ctx.in(0).dim(ctx.in(0).rank() - 1);
  return Draw(ctx, /*logits=*/false, again, [n](int64_t place, int64_t bits) {
    Found found(place, n);
    return found.column >= 0 ? StrCat("p[", found.row * n + found.column,
                                      "] is ", std::bit_cast<double>(bits),
                                      "; wanted finite numbers of at least 0")
                             : StrCat("row ", found.row,
                                      " of p is all 0; wanted some weight");
  });
}

// They take their key along.
SL_KERNEL(Categorical, kCuda,
          Kernel{.launch = Categorical,
                 .workspace = Workspace,
                 .capturable = false,
                 .host_inputs = 2});
SL_KERNEL(Multinomial, kCuda,
          Kernel{.launch = Multinomial,
                 .workspace = Workspace,
                 .capturable = false,
                 .host_inputs = 2});

}  // namespace
}  // namespace sluice
