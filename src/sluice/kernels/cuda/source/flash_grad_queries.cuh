// The gradient of fused attention by its queries. Scores are recomputed: with p
// = exp(q k' scale + mask - lse) and ds = p (dy v' - sum(dy y)) scale, a block
// owns some queries and sums dq = ds k. flash_grad_keys.cuh has the rest. Every
// sum has one owner and one order, so that results are the same bits every
// time.
#pragma once

#include "sluice/cuda/flash_queries.cuh"

namespace sluice {

// sum(dy y) of a warp's own queries.
inline void InnerProducts(const FlashArgs& a, const OwnQueries& own,
                          const OwnLane& lane, float (&inner)[kHigh][2]) {
  const T* dy = a.dy.Head(own.head, a.inner_heads);
  const T* y = a.y.Head(own.head, a.inner_heads);
#pragma unroll
  for (int h = 0; h < kHigh; ++h) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      int query = own.first + lane.Row(h, 2 * r);
      float sum = 0;
      if (query < a.queries) {
        const T* dy_row = dy + query * a.dy.row_step;
        const T* y_row = y + query * a.y.row_step;
        for (int j = lane.t * 8; j < a.values; j += 32) {
          if (SL_PACKED) {
            auto u = *reinterpret_cast<const Pack<T, 8>*>(dy_row + j);
            auto v = *reinterpret_cast<const Pack<T, 8>*>(y_row + j);
#pragma unroll
            for (int k = 0; k < 8; ++k) {
              sum = __builtin_fmaf(float(u.v[k]), float(v.v[k]), sum);
            }
          } else {
            for (int k = j; k < j + 8 && k < a.values; ++k) {
              sum = __builtin_fmaf(float(dy_row[k]), float(y_row[k]), sum);
            }
          }
        }
      }
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      inner[h][r] = sum;
    }
  }
}

SL_GLOBAL_BESIDE(2, kThreads, flash_grad_queries, FlashArgs, a) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* q_tile = reinterpret_cast<T*>(shared);
  T* dy_tile = q_tile + kOwnRows * kPitch;
  const OwnQueries own(a);
  const OwnLane lane;
  const Scores scores(a, own.head);
  const float scale = float(a.scale);
  KeySteps keys(a, own.KvHead(a), dy_tile + kOwnRows * kPitch);
  const int steps = own.Steps(a);
  StartRows<kOwnRows>(q_tile, a.q.Head(own.head, a.inner_heads), a.q.row_step,
                      own.first, a.queries, a.depth);
  StartRows<kOwnRows>(dy_tile, a.dy.Head(own.head, a.inner_heads),
                      a.dy.row_step, own.first, a.queries, a.values);
  if (steps > 0) keys.Start(0);

  QueryState state[kHigh][2];
  float inner[kHigh][2];
  InnerProducts(a, own, lane, inner);
#pragma unroll
  for (int h = 0; h < kHigh; ++h) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      int query = own.first + lane.Row(h, 2 * r);
      bool there = query < a.queries;
      int64_t number = int64_t(own.head) * a.queries + query;
      float lse = there ? a.lse[number] : kNever;
      state[h][r] = {lse == kNever ? -kNever : lse * kLog2E,
                     inner[h][r] * scale};
      if (there && lane.t == 0) a.state[number] = state[h][r];
    }
  }
  WaitForCopies();
  __syncthreads();
  Fragment q[kSlices][kHigh], dy[kSlices][kHigh];
  LoadOwn(q, q_tile + lane.first_row * kPitch);
  LoadOwn(dy, dy_tile + lane.first_row * kPitch);

  constexpr int kSome = 32;  // keys whose scores a warp holds at a time
  const int first_query = own.first + lane.first_row;
  Sums dq[kHigh][kColumns];
  Clear(dq);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    WaitForCopies();
    __syncthreads();  // all reads of the data that the next copies overwrite
                      // are done
    if (step + 1 < steps) keys.Start(step + 1);
#pragma unroll 1
    for (int part = 0; part < kStepRows; part += kSome) {
      const int first_key = step * kStepRows + part;
      if (scores.NoneCounts(first_query, kWarpRows, first_key)) break;
      const T* k_rows = keys.Keys(step) + part * kPitch;
      constexpr int kCount = kSome / 8;
      Sums s[kHigh][kCount], dp[kHigh][kCount];
      Clear(s);
      Clear(dp);
      MultiplyTurned(s, q, k_rows);
      MultiplyTurned(dp, dy, keys.Values(step) + part * kPitch);
      EachSum<kCount>([&](int h, int c, int i) {
        s[h][c][i] =
            scores.Of(s[h][c][i], own.first + lane.Row(h, i),
                      first_key + lane.Column(c, i), state[h][i / 2].lse);
      });
      if (scores.Cut(first_query, first_key, kSome)) {
        EachSum<kCount>([&](int h, int c, int i) {
          bool counts = scores.Counts(own.first + lane.Row(h, i),
                                      first_key + lane.Column(c, i));
          if (!counts) s[h][c][i] = kNever;
        });
      }
      EachSum<kCount>([&](int h, int c, int i) {
        s[h][c][i] = FastExp2(s[h][c][i]) *
                     __builtin_fmaf(dp[h][c][i], scale, -state[h][i / 2].inner);
      });
#pragma unroll
      for (int k = 0; k < kCount / 2; ++k) {
        Fragment ds[kHigh];
#pragma unroll
        for (int h = 0; h < kHigh; ++h) {
          ds[h] = LeftOf<T>(s[h][2 * k], s[h][2 * k + 1]);
        }
        MultiplyRows(dq, ds, k_rows + k * 16 * kPitch);
      }
    }
  }
  float by[kHigh][2];
  for (int h = 0; h < kHigh; ++h) by[h][0] = by[h][1] = 1;
  StoreRows(dq, by, q_tile + lane.first_row * kPitch,
            a.dq + int64_t(own.head) * a.queries * a.depth, first_query,
            a.queries, a.depth);
}

}  // namespace sluice
