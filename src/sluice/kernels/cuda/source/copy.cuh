// Copies elements between strided locations. T: a type of the elements' size,
// or of several elements that stay together. Index: int32_t if all offsets fit.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

// Adjacent elements of the target are along axis 0.
struct CopyArgs {
  const void* from;
  void* to;
  int64_t n;
  int32_t rank;
  int32_t across;  // tiles: the axis with adjacent elements of the source
  int64_t size[kMaxWalkRank];
  int64_t stride[2][kMaxWalkRank];
  int64_t tiles[2];  // along axis 0 and along `across`
};

SL_GLOBAL(copy, CopyArgs, a) {
  const T* from = static_cast<const T*>(a.from);
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    Index rest = Index(i), there = 0, here = 0;
    for (int axis = 0; axis < a.rank; ++axis) {
      Index size = Index(a.size[axis]);
      Index next = rest / size, index = rest - next * size;
      here += index * Index(a.stride[0][axis]);
      there += index * Index(a.stride[1][axis]);
      rest = next;
    }
    to[there] = from[here];
  }
}

// The same if the source is contiguous along another axis than the target:
// squares are read along one axis, transposed in shared memory and written
// along the other. 256 threads.
SL_GLOBAL(tiles, CopyArgs, a) {
  constexpr int kSide = 32, kRows = 8;
  __shared__ T tile[kSide][kSide + 1];
  const T* from = static_cast<const T*>(a.from);
  T* to = static_cast<T*>(a.to);
  int column = threadIdx.x % kSide, row = threadIdx.x / kSide;
  int64_t all = a.n;  // tiles
  for (int64_t t = blockIdx.x; t < all; t += gridDim.x) {
    int64_t rest = t;
    int64_t first0 = rest % a.tiles[0] * kSide;
    rest /= a.tiles[0];
    int64_t first1 = rest % a.tiles[1] * kSide;
    rest /= a.tiles[1];
    int64_t here = 0, there = 0;
    for (int axis = 1; axis < a.rank; ++axis) {
      if (axis == a.across) continue;
      int64_t next = rest / a.size[axis], index = rest - next * a.size[axis];
      here += index * a.stride[0][axis];
      there += index * a.stride[1][axis];
      rest = next;
    }
    int64_t n0 = a.size[0], n1 = a.size[a.across];
    for (int k = row; k < kSide; k += kRows) {
      int64_t i0 = first0 + k, i1 = first1 + column;
      if (i0 < n0 && i1 < n1) {
        tile[k][column] =
            from[here + i0 * a.stride[0][0] + i1 * a.stride[0][a.across]];
      }
    }
    __syncthreads();
    for (int k = row; k < kSide; k += kRows) {
      int64_t i0 = first0 + column, i1 = first1 + k;
      if (i0 < n0 && i1 < n1) {
        to[there + i0 * a.stride[1][0] + i1 * a.stride[1][a.across]] =
            tile[column][k];
      }
    }
    __syncthreads();
  }
}

}  // namespace sluice
