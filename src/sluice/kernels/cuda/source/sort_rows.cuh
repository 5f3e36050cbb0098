// Sorts the numbers of the updates by row, stable. A radix sort of eight bits
// at a time, least significant first: every pass counts the digits of each
// tile, computes the start of each tile's elements of each digit, and moves
// them there in order.
//
// I: the type of indices. 256 threads; one for each digit.
#pragma once

#include "sluice/cuda/elementwise.cuh"
#include "sluice/cuda/sum_before.cuh"

namespace sluice {

constexpr int kDigits = 256, kSortWarps = 8, kWarpRounds = 16;
constexpr int kWarpTile = 32 * kWarpRounds;
constexpr int kTile = kSortWarps * kWarpTile;

struct SortArgs {
  const void* index;
  int64_t rows;
  uint32_t *keys, *order;          // of this pass
  uint32_t *keys_out, *order_out;  // of the next
  uint32_t* starts;                // [digit][tile]
  int64_t n, tiles;
  int32_t shift, passes;
};

// The lanes of the warp with the same digit. kDigits: none.
inline uint32_t SameDigit(uint32_t digit) {
  uint32_t same = kAllLanes;
  for (int bit = 0; bit < 9; ++bit) {
    bool one = digit >> bit & 1;
    uint32_t those = __ballot_sync(kAllLanes, one);
    same &= one ? those : ~those;
  }
  return same;
}

inline uint32_t DigitAt(const uint32_t* keys, int64_t i, const SortArgs& a) {
  return i < a.n ? keys[i] >> a.shift & (kDigits - 1) : kDigits;
}

// Counts the digits of a tile, for each warp's share of it.
inline void CountTile(const SortArgs& a, const uint32_t* keys, int64_t tile,
                      uint32_t (&counts)[kSortWarps][kDigits]) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int w = 0; w < kSortWarps; ++w) counts[w][threadIdx.x] = 0;
  __syncthreads();
  int64_t first = tile * kTile + warp * kWarpTile;
  for (int round = 0; round < kWarpRounds; ++round) {
    uint32_t digit = DigitAt(keys, first + round * 32 + lane, a);
    uint32_t same = SameDigit(digit);
    if (digit < kDigits && (same & LanesBelow()) == 0) {
      counts[warp][digit] += __popc(same);
    }
    __syncwarp();
  }
  __syncthreads();
}

// Moves a tile's elements to the positions in `counts`, where each warp's share
// of each digit starts.
inline void PutTile(const SortArgs& a, const uint32_t* keys,
                    const uint32_t* order, int64_t tile,
                    uint32_t (&counts)[kSortWarps][kDigits], uint32_t* keys_out,
                    uint32_t* order_out) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int64_t first = tile * kTile + warp * kWarpTile;
  for (int round = 0; round < kWarpRounds; ++round) {
    int64_t i = first + round * 32 + lane;
    uint32_t digit = DigitAt(keys, i, a);
    uint32_t same = SameDigit(digit);
    uint32_t at = 0;
    if (digit < kDigits) at = counts[warp][digit] + __popc(same & LanesBelow());
    __syncwarp();
    if (digit < kDigits) {
      keys_out[at] = keys[i];
      order_out[at] = order[i];
      if ((same & LanesBelow()) == 0) counts[warp][digit] += __popc(same);
    }
    __syncwarp();
  }
}

// Updates without a row get the number after the last row.
SL_GLOBAL(row_keys, SortArgs, a) {
  const I* index = static_cast<const I*>(a.index);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t row = index[i];
    a.keys[i] = uint32_t(row >= 0 && row < a.rows ? row : a.rows);
    a.order[i] = uint32_t(i);
  }
}

SL_GLOBAL(count_digits, SortArgs, a) {
  __shared__ uint32_t counts[kSortWarps][kDigits];
  for (int64_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    CountTile(a, a.keys, tile, counts);
    uint32_t sum = 0;
    for (int w = 0; w < kSortWarps; ++w) sum += counts[w][threadIdx.x];
    a.starts[int64_t(threadIdx.x) * a.tiles + tile] = sum;
    __syncthreads();
  }
}

// Turns counts into exclusive prefix sums. One block.
SL_GLOBAL(sum_digits, SortArgs, a) {
  __shared__ uint32_t sums[33];
  constexpr int kEach = 8;
  uint32_t before = 0;
  int64_t n = kDigits * a.tiles, step = int64_t(blockDim.x) * kEach;
  for (int64_t first = 0; first < n; first += step) {
    int64_t at = first + int64_t(threadIdx.x) * kEach;
    uint32_t own[kEach], sum = 0;
    for (int k = 0; k < kEach; ++k) {
      own[k] = at + k < n ? a.starts[at + k] : 0;
      sum += own[k];
    }
    uint32_t start = before + SumBefore(sum, sums);
    before += sums[blockDim.x / 32];
    for (int k = 0; k < kEach; ++k) {
      if (at + k < n) a.starts[at + k] = start;
      start += own[k];
    }
    __syncthreads();
  }
}

SL_GLOBAL(put_digits, SortArgs, a) {
  __shared__ uint32_t counts[kSortWarps][kDigits];
  for (int64_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    CountTile(a, a.keys, tile, counts);
    uint32_t at = a.starts[int64_t(threadIdx.x) * a.tiles + tile];
    for (int w = 0; w < kSortWarps; ++w) {
      uint32_t own = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = at;
      at += own;
    }
    __syncthreads();
    PutTile(a, a.keys, a.order, tile, counts, a.keys_out, a.order_out);
    __syncthreads();
  }
}

// The whole sort for one tile, by one block. After an odd number of passes the
// result is in keys_out and order_out.
SL_GLOBAL(sort_tile, SortArgs, a) {
  __shared__ uint32_t counts[kSortWarps][kDigits];
  __shared__ uint32_t sums[33];
  const I* index = static_cast<const I*>(a.index);
  for (int64_t i = threadIdx.x; i < a.n; i += blockDim.x) {
    int64_t row = index[i];
    a.keys[i] = uint32_t(row >= 0 && row < a.rows ? row : a.rows);
    a.order[i] = uint32_t(i);
  }
  __syncthreads();
  uint32_t *keys = a.keys, *order = a.order;
  uint32_t *keys_out = a.keys_out, *order_out = a.order_out;
  SortArgs now = a;
  for (int pass = 0; pass < a.passes; ++pass) {
    now.shift = 8 * pass;
    CountTile(now, keys, 0, counts);
    uint32_t sum = 0;
    for (int w = 0; w < kSortWarps; ++w) sum += counts[w][threadIdx.x];
    uint32_t at = SumBefore(sum, sums);
    for (int w = 0; w < kSortWarps; ++w) {
      uint32_t own = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = at;
      at += own;
    }
    __syncthreads();
    PutTile(now, keys, order, 0, counts, keys_out, order_out);
    __syncthreads();
    uint32_t* swap = keys;
    keys = keys_out;
    keys_out = swap;
    swap = order;
    order = order_out;
    order_out = swap;
  }
}

// The start of each row's updates, and the end of the last row's.
struct StartArgs {
  const uint32_t* keys;
  int64_t* starts;
  int64_t n, rows;
};

SL_GLOBAL(row_starts, StartArgs, a) {
  for (int64_t row = FirstThread(); row <= a.rows; row += AllThreads()) {
    int64_t first = 0;
    for (int64_t left = a.n; left > 0;) {
      int64_t half = left / 2;
      bool before = a.keys[first + half] < row;
      first += before ? half + 1 : 0;
      left = before ? left - half - 1 : half;
    }
    a.starts[row] = first;
  }
}

}  // namespace sluice
