// ReducePlan: how a GPU reduces an array: the variant of
// source/reduce_core.cuh, the number of threads per output, and the number of
// parts of an output with too many elements for one block. A function of shapes
// only, so that sums do not depend on the device.
//
// A plain value.
#pragma once

#include <string>

#include "sluice/kernels/cpu/reduce_layout.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

inline constexpr int kMaxGpuNest = 5;         // as in source/reduce_core.cuh
inline constexpr int64_t kTeamThreads = 256;  // as in source/team.cuh
// Enough blocks to fill a large GPU several times over.
inline constexpr int64_t kEnoughBlocks = 1056;

// The smallest power of two >= n, at most `most`.
int64_t PowerOfTwo(int64_t n, int64_t most);

// As in source/reduce_core.cuh.
struct GpuReduceNest {
  int64_t rank = 0;
  int64_t dims[kMaxGpuNest] = {}, steps[kMaxGpuNest] = {};
};
struct GpuReduceShape {
  int64_t outputs = 0, inner = 1, count = 0;
  int64_t parts = 1, per_part = 0;
  int64_t lanes = 1, packed = 0;
  GpuReduceNest kept, reduced;
  void* partial = nullptr;
};

struct ReducePlan {
  GpuReduceShape shape;
  const char* way = "ReduceLanes";
  int64_t blocks = 1;
  int64_t reduced_count = 0;  // elements that make one output

  // `mask`: the reduced axes of x. `outputs`: the number of results.
  ReducePlan(const Shape& x, uint32_t mask, int64_t outputs);

  // Bytes for the results of the parts: the workspace of a launch.
  int64_t partial_bytes() const;
  // Whether `pack` elements at a time can be read from an aligned array; if so,
  // the plan reads them that way from now on.
  bool Packs(int64_t pack);

 private:
  void Rows(const ReduceLayout& layout);
  void Columns(int64_t pack);

  int64_t strips_ = 1;  // of columns: how often the other axes are adjacent
  int64_t most_parts_ = 1;
};

// Launches the kernel of a file that has SL_REDUCE_KERNEL, and the kernel that
// combines parts. Args begins with `GpuReduceShape s`, which is set here.
Status LaunchReduceRaw(const KernelContext& ctx, std::string_view file,
                       const std::string& before, const ReducePlan& plan,
                       void* partial, void* args, GpuReduceShape* shape);
template <class Args>
Status LaunchReduce(const KernelContext& ctx, std::string_view file,
                    const std::string& before, const ReducePlan& plan,
                    void* partial, Args args) {
  return LaunchReduceRaw(ctx, file, before, plan, partial, &args, &args.s);
}

}  // namespace sluice
