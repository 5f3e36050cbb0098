// The gradient of fused attention by its keys and values. A block owns some
// keys and sums dk = ds' q and dv = p' dy over the queries of all heads that
// use them. It runs after flash_grad_queries.cuh, which defines p and ds and
// stores the state of every query.
#pragma once

#include "sluice/cuda/flash_tile.cuh"

namespace sluice {

// The queries of all heads that use one head of k and v, in steps: those
// loaded, and those being loaded.
struct QuerySteps {
  struct Step {
    int head, first;  // of its queries
  };
  const FlashArgs& a;
  int head, end_head;
  int first;  // of every head's queries: earlier ones see none of the keys
  T* room;

  QuerySteps(const FlashArgs& args, int kv_head, int first_key, T* shared)
      : a(args), room(shared) {
    int heads = a.heads / a.kv_heads;
    head = kv_head * heads;
    first = SL_CAUSAL ? first_key / kStepRows * kStepRows : 0;
    end_head = first < a.queries ? head + heads : head;
  }
  Step Begin() const { return {head, first}; }
  bool Has(const Step& step) const { return step.head < end_head; }
  Step After(Step step) const {
    step.first += kStepRows;
    if (step.first >= a.queries) step = {step.head + 1, first};
    return step;
  }
  T* Queries(int number) const {
    return room + number % 2 * 2 * kStepRows * kPitch;
  }
  T* Dy(int number) const { return Queries(number) + kStepRows * kPitch; }
  QueryState* States(int number) const {
    T* behind = room + 4 * kStepRows * kPitch;
    return reinterpret_cast<QueryState*>(behind) + number % 2 * kStepRows;
  }
  void Start(int number, const Step& step) const {
    StartRows<kStepRows>(Queries(number), a.q.Head(step.head, a.inner_heads),
                         a.q.row_step, step.first, a.queries, a.depth);
    StartRows<kStepRows>(Dy(number), a.dy.Head(step.head, a.inner_heads),
                         a.dy.row_step, step.first, a.queries, a.values);
    if (threadIdx.x >= kStepRows) return;
    int query = step.first + threadIdx.x;
    const QueryState* from = a.state + step.head * int64_t(a.queries) + query;
    StartCopy<8>(States(number) + threadIdx.x, from, query < a.queries);
  }
};

SL_GLOBAL_BESIDE(2, kThreads, flash_grad_keys, FlashArgs, a) {
  extern __shared__ __align__(16) unsigned char shared[];
  T* k_tile = reinterpret_cast<T*>(shared);
  T* v_tile = k_tile + kOwnRows * kPitch;
  const OwnLane lane;
  // The first keys, which most queries see, start first.
  const int tile = int(blockIdx.x) / a.kv_heads;
  const int kv_head = int(blockIdx.x) - tile * a.kv_heads;
  const int block_key = tile * kOwnRows;
  const float scale = float(a.scale);
  StartRows<kOwnRows>(k_tile, a.k.Head(kv_head, a.inner_kv_heads), a.k.row_step,
                      block_key, a.keys, a.depth);
  StartRows<kOwnRows>(v_tile, a.v.Head(kv_head, a.inner_kv_heads), a.v.row_step,
                      block_key, a.keys, a.values);
  const QuerySteps queries(a, kv_head, block_key, v_tile + kOwnRows * kPitch);
  QuerySteps::Step step = queries.Begin();
  if (queries.Has(step)) queries.Start(0, step);

  T* k_rows = k_tile + lane.first_row * kPitch;
  T* v_rows = v_tile + lane.first_row * kPitch;
  constexpr int kSome = 32;  // queries whose scores a warp holds at a time
  const int first_key = block_key + lane.first_row;
  Sums dk[kHigh][kColumns], dv[kHigh][kColumns];
  Clear(dk);
  Clear(dv);
#pragma unroll 1
  for (int number = 0; queries.Has(step); ++number) {
    const QuerySteps::Step next = queries.After(step);
    WaitForCopies();
    __syncthreads();  // all reads of the data that the next copies overwrite
                      // are done
    if (queries.Has(next)) queries.Start(number + 1, next);
    const Scores scores(a, step.head);
#pragma unroll 1
    for (int part = 0; part < kStepRows; part += kSome) {
      const int first_query = step.first + part;
      if (scores.NoneCounts(first_query, kSome, first_key)) continue;
      const T* q_rows = queries.Queries(number) + part * kPitch;
      const T* dy_rows = queries.Dy(number) + part * kPitch;
      constexpr int kCount = kSome / 8;
      Sums p[kHigh][kCount], ds[kHigh][kCount];  // transposed: keys by queries
      Clear(p);
      Clear(ds);
      MultiplyTurned(p, k_rows, q_rows);
      MultiplyTurned(ds, v_rows, dy_rows);
      QueryState states[kCount][2];
#pragma unroll
      for (int c = 0; c < kCount; ++c) {
        const QueryState* of =
            queries.States(number) + part + lane.Column(c, 0);
        states[c][0] = of[0], states[c][1] = of[1];
      }
      EachSum<kCount>([&](int h, int c, int i) {
        p[h][c][i] =
            scores.Of(p[h][c][i], first_query + lane.Column(c, i),
                      block_key + lane.Row(h, i), states[c][i % 2].lse);
      });
      if (scores.Cut(first_query, first_key, kWarpRows)) {
        EachSum<kCount>([&](int h, int c, int i) {
          bool counts = scores.Counts(first_query + lane.Column(c, i),
                                      block_key + lane.Row(h, i));
          if (!counts) p[h][c][i] = kNever;
        });
      }
      EachSum<kCount>([&](int h, int c, int i) {
        p[h][c][i] = FastExp2(p[h][c][i]);
        ds[h][c][i] = p[h][c][i] * __builtin_fmaf(ds[h][c][i], scale,
                                                  -states[c][i % 2].inner);
      });
#pragma unroll
      for (int n = 0; n < kCount / 2; ++n) {
        Fragment weights[kHigh];
#pragma unroll
        for (int h = 0; h < kHigh; ++h) {
          weights[h] = LeftOf<T>(p[h][2 * n], p[h][2 * n + 1]);
        }
        MultiplyRows(dv, weights, dy_rows + n * 16 * kPitch);
#pragma unroll
        for (int h = 0; h < kHigh; ++h) {
          weights[h] = LeftOf<T>(ds[h][2 * n], ds[h][2 * n + 1]);
        }
        MultiplyRows(dk, weights, q_rows + n * 16 * kPitch);
      }
    }
    step = next;
  }
  // If there was no query, keys may still be loading.
  WaitForCopies();
  __syncthreads();
  float by[kHigh][2];
  for (int h = 0; h < kHigh; ++h) by[h][0] = by[h][1] = 1;
  StoreRows(dk, by, k_rows, a.dk + int64_t(kv_head) * a.keys * a.depth,
            first_key, a.keys, a.depth);
  StoreRows(dv, by, v_rows, a.dv + int64_t(kv_head) * a.keys * a.values,
            first_key, a.keys, a.values);
}

}  // namespace sluice
