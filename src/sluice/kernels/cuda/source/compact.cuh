// Writes the selected elements contiguously: counts them chunk by chunk, then
// each chunk writes its own. X: the type that tells whether an element is
// selected; T: a type of the width of each move. 256 threads.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/cuda/sum_before.cuh"

namespace sluice {

constexpr int kChunkThreads = 256, kChunkRounds = 16;
constexpr int64_t kChunk = kChunkThreads * kChunkRounds;

struct CompactArgs {
  const void* x;
  const void* from;  // the elements, for MaskedSelect of single elements
  void* to;
  int64_t* starts;  // of each chunk; then the total
  int64_t n, chunks, total;
  int32_t rank;  // 0: linear positions
  int64_t size[kMaxWalkRank];
};

template <class V>
inline bool Counts(V v) {
  if constexpr (std::is_same_v<V, f16> || std::is_same_v<V, bf16>) {
    return (v.bits & 0x7fff) != 0;
  } else {
    return v != V(0);
  }
}

inline bool CountsAt(const CompactArgs& a, int64_t i) {
  return i < a.n && Counts(static_cast<const X*>(a.x)[i]);
}

SL_GLOBAL(count_chunks, CompactArgs, a) {
  __shared__ uint32_t sums[33];
  for (int64_t chunk = blockIdx.x; chunk < a.chunks; chunk += gridDim.x) {
    uint32_t count = 0;
    for (int round = 0; round < kChunkRounds; ++round) {
      int64_t i = chunk * kChunk + round * kChunkThreads + threadIdx.x;
      count += CountsAt(a, i) ? 1 : 0;
    }
    SumBefore(count, sums);
    if (threadIdx.x == 0) a.starts[chunk] = sums[kChunkThreads / 32];
    __syncthreads();
  }
}

// Turns counts into the start of each chunk. One block.
SL_GLOBAL(sum_chunks, CompactArgs, a) {
  __shared__ uint32_t sums[33];
  int64_t before = 0;
  for (int64_t first = 0; first < a.chunks; first += blockDim.x) {
    int64_t at = first + threadIdx.x;
    uint32_t own = at < a.chunks ? uint32_t(a.starts[at]) : 0;
    uint32_t sum = SumBefore(own, sums);
    if (at < a.chunks) a.starts[at] = before + sum;
    before += sums[blockDim.x / 32];
    __syncthreads();
  }
  if (threadIdx.x == 0) a.starts[a.chunks] = before;
}

// Element `i` is selected, as number `at`.
template <bool kElements>
inline void WriteOne(const CompactArgs& a, int64_t i, int64_t at) {
  if constexpr (kElements) {
    static_cast<T*>(a.to)[at] = static_cast<const T*>(a.from)[i];
    return;
  }
  int64_t* to = static_cast<int64_t*>(a.to);
  if (a.rank == 0) {
    to[at] = i;
    return;
  }
  for (int axis = a.rank - 1; axis >= 0; --axis) {
    int64_t next = i / a.size[axis];
    to[at * a.rank + axis] = i - next * a.size[axis];
    i = next;
  }
}

template <bool kElements>
inline void WriteChunks(const CompactArgs& a) {
  __shared__ uint32_t sums[33];
  for (int64_t chunk = blockIdx.x; chunk < a.chunks; chunk += gridDim.x) {
    int64_t start = a.starts[chunk];
    for (int round = 0; round < kChunkRounds; ++round) {
      int64_t i = chunk * kChunk + round * kChunkThreads + threadIdx.x;
      bool counts = CountsAt(a, i);
      int64_t at = start + SumBefore(counts ? 1 : 0, sums);
      start += sums[kChunkThreads / 32];
      if (counts && at < a.total) WriteOne<kElements>(a, i, at);
      __syncthreads();
    }
  }
}

SL_GLOBAL(write_elements, CompactArgs, a) { WriteChunks<true>(a); }
SL_GLOBAL(write_places, CompactArgs, a) { WriteChunks<false>(a); }

}  // namespace sluice
