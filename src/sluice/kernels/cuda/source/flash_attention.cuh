// Attention whose scores never leave the multiprocessor. A block owns some
// queries of a head and iterates over the keys and values in steps.
// Probabilities are relative to the largest score so far; the sums are rescaled
// when a larger one appears.
#pragma once

#include "sluice/cuda/flash_queries.cuh"

namespace sluice {

// The softmax of rows that are not complete yet.
struct RunningSoftmax {
  float max[kHigh][2], sum[kHigh][2];  // the sum: of this lane's columns

  RunningSoftmax() {
    for (int h = 0; h < kHigh; ++h) {
      for (int r = 0; r < 2; ++r) max[h][r] = kNever, sum[h][r] = 0;
    }
  }
  // Turns scores into probabilities and rescales y.
  template <int kCount>
  void Take(Sums (&scores)[kHigh][kCount], Sums (&y)[kHigh][kColumns]) {
#pragma unroll
    for (int h = 0; h < kHigh; ++h) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        float most = max[h][r];
#pragma unroll
        for (int c = 0; c < kCount; ++c) {
          most =
              fmaxf(most, fmaxf(scores[h][c][2 * r], scores[h][c][2 * r + 1]));
        }
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
        float from = most == kNever ? 0.0f : most;
        float by = FastExp2(max[h][r] - from), added = 0;
        max[h][r] = most;
#pragma unroll
        for (int c = 0; c < kCount; ++c) {
#pragma unroll
          for (int i = 2 * r; i < 2 * r + 2; ++i) {
            scores[h][c][i] = FastExp2(scores[h][c][i] - from);
            added += scores[h][c][i];
          }
        }
        sum[h][r] = __builtin_fmaf(sum[h][r], by, added);
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
          y[h][c][2 * r] *= by;
          y[h][c][2 * r + 1] *= by;
        }
      }
    }
  }
};

SL_GLOBAL_BESIDE(2, kThreads, flash_attention, FlashArgs, a) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* own_tile = reinterpret_cast<T*>(shared);
  const OwnQueries own(a);
  const OwnLane lane;
  const Scores scores(a, own.head);
  KeySteps keys(a, own.KvHead(a), own_tile + kOwnRows * kPitch);
  const int steps = own.Steps(a);
  StartRows<kOwnRows>(own_tile, a.q.Head(own.head, a.inner_heads), a.q.row_step,
                      own.first, a.queries, a.depth);
  if (steps > 0) keys.Start(0);
  WaitForCopies();
  __syncthreads();
  Fragment q[kSlices][kHigh];
  T* own_rows = own_tile + lane.first_row * kPitch;
  LoadOwn(q, own_rows);

  const int first_query = own.first + lane.first_row;
  RunningSoftmax softmax;
  Sums y[kHigh][kColumns];
  Clear(y);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    WaitForCopies();
    __syncthreads();  // all reads of the data that the next copies overwrite
                      // are done
    if (step + 1 < steps) keys.Start(step + 1);
    const int first_key = step * kStepRows;
    if (scores.NoneCounts(first_query, kWarpRows, first_key)) continue;
    constexpr int kCount = kStepRows / 8;
    Sums p[kHigh][kCount];
    Clear(p);
    MultiplyTurned(p, q, keys.Keys(step));
    EachSum<kCount>([&](int h, int c, int i) {
      p[h][c][i] = scores.Of(p[h][c][i], own.first + lane.Row(h, i),
                             first_key + lane.Column(c, i), 0);
    });
    if (scores.Cut(first_query, first_key, kStepRows)) {
      EachSum<kCount>([&](int h, int c, int i) {
        bool counts = scores.Counts(own.first + lane.Row(h, i),
                                    first_key + lane.Column(c, i));
        if (!counts) p[h][c][i] = kNever;
      });
    }
    softmax.Take(p, y);
#pragma unroll
    for (int k = 0; k < kCount / 2; ++k) {
      Fragment weights[kHigh];
#pragma unroll
      for (int h = 0; h < kHigh; ++h) {
        weights[h] = LeftOf<T>(p[h][2 * k], p[h][2 * k + 1]);
      }
      MultiplyRows(y, weights, keys.Values(step) + k * 16 * kPitch);
    }
  }

  float by[kHigh][2];
#pragma unroll
  for (int h = 0; h < kHigh; ++h) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float sum = softmax.sum[h][r];
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      by[h][r] = sum == 0 ? 0.0f : 1 / sum;
      int query = own.first + lane.Row(h, 2 * r);
      if (lane.t == 0 && query < a.queries) {
        a.lse[int64_t(own.head) * a.queries + query] =
            sum == 0 ? kNever : (softmax.max[h][r] + log2f(sum)) * kLn2;
      }
    }
  }
  StoreRows(y, by, own_rows, a.out + int64_t(own.head) * a.queries * a.values,
            first_query, a.queries, a.values);
}

}  // namespace sluice
