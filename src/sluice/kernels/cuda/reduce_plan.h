// ReducePlan: how a GPU goes through an array that is reduced: which of the
// ways of source/reduce_core.cuh, how many threads share an output, and into
// how many parts an output is cut that has too many elements for one block. A
// function of shapes alone, so that sums do not depend on the device.
//
// A plain value.
#pragma once

#include <string>

#include "sluice/kernels/cpu/reduce_layout.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

inline constexpr int kMaxGpuNest = 5;         // as in source/reduce_core.cuh
inline constexpr int64_t kTeamThreads = 256;  // as in source/team.cuh
// Blocks that fill a large GPU, some times over.
inline constexpr int64_t kEnoughBlocks = 1056;

// The least power of two that is not below n, at most `most`.
int64_t PowerOfTwo(int64_t n, int64_t most);

// As source/reduce_core.cuh has them.
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

  // `mask`: the axes of x that are reduced. `outputs`: how many results.
  ReducePlan(const Shape& x, uint32_t mask, int64_t outputs);

  // Bytes for the parts' results: what a launch needs as workspace.
  int64_t partial_bytes() const;
  // Whether elements lie so that `pack` at a time can be read from an aligned
  // array; from now on they are, then.
  bool Packs(int64_t pack);

 private:
  void Rows(const ReduceLayout& layout);
  void Columns(int64_t pack);

  int64_t strips_ = 1;  // of columns: how often the others go side by side
  int64_t most_parts_ = 1;
};

// Launches the kernel of a file that has SL_REDUCE_KERNEL, and the one that
// joins parts. Args begins with `GpuReduceShape s`, which is set here.
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
