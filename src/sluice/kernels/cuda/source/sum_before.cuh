// Prefix sums over the threads of a block.
#pragma once

#include "sluice/cuda/formula.cuh"

namespace sluice {

constexpr uint32_t kAllLanes = 0xffffffffu;

// The lanes below this one.
inline uint32_t LanesBelow() { return (1u << (threadIdx.x % 32)) - 1; }

// The sum of `v` over all threads before this one; `sums` has an element for
// each warp, and one more for the total.
inline uint32_t SumBefore(uint32_t v, uint32_t* sums) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int warps = blockDim.x / 32;
  uint32_t sum = v;
  for (int step = 1; step < 32; step *= 2) {
    uint32_t other = __shfl_up_sync(kAllLanes, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    uint32_t before = 0;
    for (int w = 0; w < warps; ++w) {
      uint32_t own = sums[w];
      sums[w] = before;
      before += own;
    }
    sums[warps] = before;
  }
  __syncthreads();
  return sums[warp] + sum - v;
}

}  // namespace sluice
