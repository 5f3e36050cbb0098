#include "sluice/kernels/cuda/slice_plan.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/reduce_plan.h"

namespace sluice {

namespace {

constexpr int64_t kMostBlocks = 1 << 20;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

SlicePlan::SlicePlan(const AxisView& view)
    : slices{view.outer, view.size, view.inner} {
  Choose(kUsuallyHeld);
}
SlicePlan::SlicePlan(int64_t rows, int64_t n, int64_t most_held)
    : slices{rows, n} {
  Choose(most_held);
}

void SlicePlan::Choose(int64_t most_held) {
  grid.threads = kTeamThreads;
  if (slices.inner > 1) {
    team = "ColumnTeam";
    slices.lanes = PowerOfTwo(slices.inner, 32);
    grid.blocks = CeilDiv(slices.inner, slices.lanes) * slices.outer;
  } else if (slices.size <= 32 * most_held) {
    slices.lanes = PowerOfTwo(slices.size, 32);
    grid.blocks = CeilDiv(slices.outer * slices.lanes, kTeamThreads);
  } else {
    team = "BlockTeam";
    if (slices.size > kTeamThreads * most_held) grid.threads = 512;
    grid.blocks = slices.outer;
  }
  grid.blocks = std::clamp<int64_t>(grid.blocks, 1, kMostBlocks);
  int64_t share = grid.threads;
  if (std::string_view(team) == "LaneTeam") share = slices.lanes;
  if (std::string_view(team) == "ColumnTeam") share /= slices.lanes;
  // Elements that do not fit are read again, and registers are left to more
  // threads.
  int64_t each = CeilDiv(slices.size, share);
  held = each > most_held ? 1 : PowerOfTwo(each, most_held);
}

Status LaunchSlicesRaw(const KernelContext& ctx, std::string_view file,
                       const std::string& before, const std::string& name,
                       const SlicePlan& plan, void* args) {
  if (plan.slices.outer * plan.slices.inner == 0) return OkStatus();
  SL_ASSIGN_OR_RETURN(
      CUfunction function,
      FileFunction(GpuOf(ctx), file,
                   StrCat(before, "\n#define SL_TEAM ", plan.team,
                          "\n#define SL_HELD ", plan.held),
                   name));
  return LaunchCudaRaw(ctx, function, plan.grid, args);
}

std::string ElementType(DType dtype) {
  return StrCat("using T = ", CudaTypeName(dtype), ";");
}

}  // namespace sluice
