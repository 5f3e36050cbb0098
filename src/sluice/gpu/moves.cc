#include "sluice/gpu/moves.h"

#include <algorithm>

#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

namespace {

// Matches source/moves.cuh.
constexpr size_t kMostMoves = 128;
struct MovesArgs {
  const void* live;
  int64_t count;
  const void* from[kMostMoves];
  void* to[kMostMoves];
  int64_t bytes[kMostMoves];
};

}  // namespace

Status LaunchMoves(const KernelContext& ctx, const void* live,
                   std::span<const Array> from, std::span<const Array> to) {
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction moves,
                      FileFunction(device, "moves.cuh", "", "moves"));
  for (size_t begin = 0; begin < from.size(); begin += kMostMoves) {
    size_t end = std::min(from.size(), begin + kMostMoves);
    MovesArgs args = {live, static_cast<int64_t>(end - begin), {}, {}, {}};
    int64_t longest = 1;
    for (size_t i = begin; i < end; ++i) {
      args.from[i - begin] = from[i].address();
      args.to[i - begin] = to[i].address();
      args.bytes[i - begin] = from[i].bytes();
      longest = std::max(longest, from[i].bytes());
    }
    CudaGrid grid = GridFor(device, longest / 16 + 1);
    grid.blocks_y = args.count;
    SL_RETURN_IF_ERROR(LaunchCuda(ctx, moves, grid, args));
  }
  return OkStatus();
}

}  // namespace sluice
