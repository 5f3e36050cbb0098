// SlicePlan: the GPU threads that share a slice of an array along one of its
// axes (source/team.cuh). A function of sizes only.
//
// A plain value.
#pragma once

#include <string>

#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// As in source/team.cuh.
struct GpuSlices {
  int64_t outer = 1, size = 1, inner = 1, lanes = 1;
};

struct SlicePlan {
  GpuSlices slices;
  const char* team = "LaneTeam";
  int64_t held = 1;  // elements that a thread keeps in registers for a slice
  CudaGrid grid;

  explicit SlicePlan(const AxisView& view);
  // For rows of n elements. `most_held`: elements that a thread may keep.
  SlicePlan(int64_t rows, int64_t n, int64_t most_held = kUsuallyHeld);

 private:
  static constexpr int64_t kUsuallyHeld = 16;
  void Choose(int64_t most_held);
};

// Launches kernel `name` of a file that has SL_SLICE_KERNEL. Args begins with
// `GpuSlices s`, which is set here.
Status LaunchSlicesRaw(const KernelContext& ctx, std::string_view file,
                       const std::string& before, const std::string& name,
                       const SlicePlan& plan, void* args);
template <class Args>
Status LaunchSlices(const KernelContext& ctx, std::string_view file,
                    const std::string& before, const std::string& name,
                    const SlicePlan& plan, Args args) {
  args.s = plan.slices;
  return LaunchSlicesRaw(ctx, file, before, name, plan, &args);
}

// "using T = float;".
std::string ElementType(DType dtype);

}  // namespace sluice
