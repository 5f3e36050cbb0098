// Shared by the kernels of fused attention: their arguments, tiles of rows in
// shared memory, and the visibility of scores. T: f16 or bf16. SL_DEPTH:
// columns of a tile, a multiple of 32 that holds a row of q, k, v and y.
// SL_PACKED: rows are read and written 16 bytes at a time. SL_CAUSAL: query i
// sees keys 0 to i. SL_MASK: as in attention_mask.cuh.
//
// Scores are powers of two here: exp(x) = 2^(x log2(e)), and a GPU has an
// instruction for 2^x.
#pragma once

#include "sluice/cuda/attention_mask.cuh"
#include "sluice/cuda/tensor_core.cuh"

namespace sluice {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kDepth = SL_DEPTH;
// A quarter of a warp reads 16 bytes of 8 rows at once; they are in different
// banks if rows are an odd number of 16 bytes apart.
constexpr int kPitch = kDepth + 8;
// The number of fragments that a warp owns in a column of rows: each read from
// shared memory serves all of them. More would not fit in registers, some of
// which masks need.
constexpr int kHigh = kDepth <= 64 && !SL_MASK ? 2 : 1;
constexpr int kWarpRows = 16 * kHigh;
constexpr int kOwnRows = kWarps * kWarpRows;  // of a block
constexpr int kStepRows = 64;                 // per step
constexpr int kColumns = kDepth / 8;          // of sums
constexpr int kSlices = kDepth / 16;          // of fragments
constexpr float kLog2E = 1.44269504f, kLn2 = 0.693147181f;
constexpr float kNever = -std::numeric_limits<float>::infinity();

// Rows of every head: element (i, j) of head h is at h / inner * outer_step + h
// % inner * inner_step + i * row_step + j.
struct HeadRows {
  const T* at;
  int64_t outer_step, inner_step, row_step;
  const T* Head(int head, int inner) const {
    int outer = head / inner;
    return at + outer * outer_step + (head - outer * inner) * inner_step;
  }
};

// The data about a query that the gradient by keys needs.
struct alignas(8) QueryState {
  float lse;    // times log2(e); infinity where it sees no key
  float inner;  // sum(dy y), times the scale
};

// As in kernels/cuda/flash_attention.cc.
struct FlashArgs {
  HeadRows q, k, v, dy, y;
  T* out;      // y of Attention, dense
  float* lse;  // of each query
  QueryState* state;
  T *dq, *dk, *dv;
  int32_t heads, inner_heads;        // of q
  int32_t kv_heads, inner_kv_heads;  // of k and v, each for several of q's
  int32_t queries, keys, depth, values;
  double scale;
  AttentionMask mask;
};

struct OwnLane {
  int warp = threadIdx.x / 32;
  int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  // The first row of this warp within the block; a sum's row and column.
  int first_row = warp * kWarpRows;
  int Row(int high, int i) const {
    return first_row + high * 16 + g + i / 2 * 8;
  }
  int Column(int n, int i) const { return n * 8 + t * 2 + i % 2; }
};

// Starts copying rows first .. first + kRows - 1 of n to shared memory, with
// zeros beyond them and beyond their `width`. Several threads share a row, and
// the next threads have the next row.
template <int kRows>
inline void StartRows(T* tile, const T* from, int64_t row_step, int first,
                      int n, int width) {
  constexpr int kSharing = kDepth <= 32 ? 4 : kDepth <= 64 ? 8 : 16;
  constexpr int kAtOnce = kThreads / kSharing;
  static_assert(kRows % kAtOnce == 0);
  int row = threadIdx.x / kSharing, column = threadIdx.x % kSharing * 8;
  if (kDepth % (kSharing * 8) != 0 && column >= kDepth) return;
  const T* at = from + (first + row) * row_step + column;
  T* to = tile + row * kPitch + column;
  int left = n - first - row;
#pragma unroll
  for (int k = 0; k < kRows; k += kAtOnce) {
    if (SL_PACKED) {
      bool there = k < left && column < width;
      StartCopy<16>(to, at, there);
    } else {
#pragma unroll 1
      for (int j = 0; j < 8; ++j) {
        to[j] = k < left && column + j < width ? at[j] : T(0.0f);
      }
    }
    at += kAtOnce * row_step;
    to += kAtOnce * kPitch;
  }
}

// Writes a warp's sums as rows of an array with rows of `width` elements. They
// pass through the warp's own rows of a tile, so that memory is written
// contiguously. `first`: the number of the warp's first row, of n.
inline void StoreRows(const Sums (&sums)[kHigh][kColumns],
                      const float (&by)[kHigh][2], T* tile, T* to, int first,
                      int n, int width) {
  int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int h = 0; h < kHigh; ++h) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const Sums& s = sums[h][c];
      T* at = tile + (h * 16 + g) * kPitch + c * 8 + t * 2;
      *reinterpret_cast<uint32_t*>(at) =
          PairOfHalves<T>(s[0] * by[h][0], s[1] * by[h][0]);
      *reinterpret_cast<uint32_t*>(at + 8 * kPitch) =
          PairOfHalves<T>(s[2] * by[h][1], s[3] * by[h][1]);
    }
  }
  __syncwarp();
  constexpr int kPacks = kDepth / 8;
#pragma unroll 4
  for (int i = lane; i < kWarpRows * kPacks; i += 32) {
    int row = i / kPacks, column = i % kPacks * 8;
    if (first + row >= n) continue;
    const T* from = tile + row * kPitch + column;
    T* at = to + int64_t(first + row) * width + column;
    if (SL_PACKED) {
      if (column >= width) continue;
      *reinterpret_cast<Pack<T, 8>*>(at) =
          *reinterpret_cast<const Pack<T, 8>*>(from);
    } else {
      for (int j = 0; j < 8 && column + j < width; ++j) at[j] = from[j];
    }
  }
}

// The scores of a head, as powers of two.
struct Scores {
  const FlashArgs& a;
  float scale;  // times log2(e)
  int64_t mask_place;

  Scores(const FlashArgs& args, int head)
      : a(args), scale(float(args.scale) * kLog2E), mask_place(0) {
    if (SL_MASK) mask_place = a.mask.HeadPlace(head);
  }
  // Whether some scores of these keys do not count for queries from this one
  // on; whether none counts for these queries.
  bool Cut(int query, int key, int keys) const {
    return key + keys > a.keys || (SL_CAUSAL && key + keys - 1 > query);
  }
  bool NoneCounts(int query, int queries, int key) const {
    return SL_CAUSAL && key > query + queries - 1;
  }
  bool Counts(int query, int key) const {
    return key < a.keys && !(SL_CAUSAL && key > query);
  }
  // Less `from`.
  float Of(float product, int query, int key, float from) const {
    float score = __builtin_fmaf(product, scale, -from);
    if (SL_MASK) {
      // Beyond the last of them there is no mask to read.
      if (query >= a.queries || key >= a.keys) return kNever;
      int64_t at = mask_place + query * a.mask.steps[0] + key * a.mask.key_step;
      if (SL_MASK == 1) return a.mask.Sees(at) ? score : kNever;
      score = __builtin_fmaf(a.mask.Added(at), kLog2E, score);
    }
    return score;
  }
};

// Calls f(high, column, i) for every sum of a lane.
template <int kCount, class F>
inline void EachSum(F f) {
#pragma unroll
  for (int h = 0; h < kHigh; ++h) {
#pragma unroll
    for (int c = 0; c < kCount; ++c) {
#pragma unroll
      for (int i = 0; i < 4; ++i) f(h, c, i);
    }
  }
}
template <int kCount>
inline void Clear(Sums (&sums)[kHigh][kCount]) {
  EachSum<kCount>([&](int h, int c, int i) { sums[h][c][i] = 0; });
}

// Loads 16 columns of a warp's own rows of a tile; or all.
inline void LoadSlice(Fragment (&own)[kHigh], const T* tile) {
#pragma unroll
  for (int h = 0; h < kHigh; ++h) {
    own[h] = LoadLeft(tile + h * 16 * kPitch, kPitch);
  }
}
inline void LoadOwn(Fragment (&own)[kSlices][kHigh], const T* tile) {
#pragma unroll
  for (int k = 0; k < kSlices; ++k) LoadSlice(own[k], tile + k * 16);
}

// sums += own rows times the transpose of rows of a tile.
template <int kCount>
inline void MultiplySlice(Sums (&sums)[kHigh][kCount],
                          const Fragment (&own)[kHigh], const T* tile) {
#pragma unroll
  for (int c = 0; c < kCount; c += 2) {
    Fragment b = LoadRightTurned(tile + c * 8 * kPitch, kPitch);
#pragma unroll
    for (int h = 0; h < kHigh; ++h) {
      MultiplyAdd<T>(sums[h][c], sums[h][c + 1], own[h], b);
    }
  }
}
template <int kCount>
inline void MultiplyTurned(Sums (&sums)[kHigh][kCount],
                           const Fragment (&own)[kSlices][kHigh],
                           const T* tile) {
#pragma unroll
  for (int k = 0; k < kSlices; ++k) {
    MultiplySlice(sums, own[k], tile + k * 16);
  }
}
// With own rows in shared memory, too.
template <int kCount>
inline void MultiplyTurned(Sums (&sums)[kHigh][kCount], const T* own,
                           const T* tile) {
#pragma unroll
  for (int k = 0; k < kSlices; ++k) {
    Fragment slice[kHigh];
    LoadSlice(slice, own + k * 16);
    MultiplySlice(sums, slice, tile + k * 16);
  }
}

// sums += weights times rows of a tile, 16 rows.
inline void MultiplyRows(Sums (&sums)[kHigh][kColumns],
                         const Fragment (&weights)[kHigh], const T* tile) {
#pragma unroll
  for (int c = 0; c < kColumns; c += 2) {
    Fragment b = LoadRight(tile + c * 8, kPitch);
#pragma unroll
    for (int h = 0; h < kHigh; ++h) {
      MultiplyAdd<T>(sums[h][c], sums[h][c + 1], weights[h], b);
    }
  }
}

}  // namespace sluice
