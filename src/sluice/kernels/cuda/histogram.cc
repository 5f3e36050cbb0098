// Histogram (source/histogram.cuh).
#include <algorithm>

#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/histogram.cuh.
struct Args {
  const void* x = nullptr;
  void* counts = nullptr;
  int64_t n = 0, bins = 0;
  double min = 0, max = 0;
};

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  Args args{AddressOf(x),
            AddressOf(ctx.out(0)),
            x.num_elements(),
            ctx.attr<int64_t>("bins"),
            ctx.attr<double>("min"),
            ctx.attr<double>("max")};
  CudaDevice& device = GpuOf(ctx);
  auto launch = [&](const char* name, int64_t n) -> Status {
    SL_ASSIGN_OR_RETURN(
        CUfunction function,
        FileFunction(device, "histogram.cuh", ElementType(x.dtype()), name));
    CudaGrid grid = GridFor(device, n);
    // A block adds its bins to all others' in the end: not too many blocks.
    grid.blocks = std::min<int64_t>(grid.blocks, 4 * device.num_processors());
    return LaunchCuda(ctx, function, grid, args);
  };
  SL_RETURN_IF_ERROR(launch("clear_bins", args.bins));
  if (args.n == 0) return OkStatus();
  return launch("count_bins", args.n);
}

SL_KERNEL(Histogram, kCuda, Kernel{.launch = Launch});

}  // namespace

}  // namespace sluice
