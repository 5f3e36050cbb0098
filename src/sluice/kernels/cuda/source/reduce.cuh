// Reductions of one array. T, Out: the types of elements and results;
// SL_REDUCER: a name in reducers.cuh.
#pragma once

#include "sluice/cuda/reduce_core.cuh"
#include "sluice/cuda/reducers.cuh"

namespace sluice {

struct ReduceArgs {
  ReduceShape s;
  const T* x;
  Out* y;
  int64_t n;  // elements of one output
  BlockParams params;
};

template <class Reducer>
struct ReduceArray {
  using Acc = typename Reducer::Acc;
  static constexpr int kPack = sizeof(T) == 1 ? 8 : 16 / sizeof(T);
  static constexpr bool kPlaces =
      requires(Acc acc, T x) { Reducer::StepAt(acc, Widen(x), int64_t(0)); };
  static Acc Start() { return Reducer::Start(); }
  static Acc One(const ReduceArgs& a, Acc acc, T x, int64_t nth) {
    if constexpr (kPlaces) {
      return Reducer::StepAt(acc, Widen(x), nth);
    } else if constexpr (requires { Reducer::Step(acc, Widen(x), a.params); }) {
      return Reducer::Step(acc, Widen(x), a.params);
    } else {
      return Reducer::Step(acc, Widen(x));
    }
  }
  static Acc Step(const ReduceArgs& a, Acc acc, int64_t at, int64_t nth,
                  int64_t) {
    return One(a, acc, a.x[at], nth);
  }
  static Acc StepPack(const ReduceArgs& a, Acc acc, int64_t at, int64_t nth,
                      int64_t) {
    auto pack = reinterpret_cast<const Pack<T, kPack>*>(a.x)[at / kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) acc = One(a, acc, pack.v[k], nth + k);
    return acc;
  }
  static void StepColumns(const ReduceArgs& a, NoColumns, Acc* acc, int64_t at,
                          int64_t nth) {
    auto pack = reinterpret_cast<const Pack<T, kPack>*>(a.x)[at / kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) acc[k] = One(a, acc[k], pack.v[k], nth);
  }
  static Acc Join(Acc a, Acc b) { return Reducer::Join(a, b); }
  static void Finish(const ReduceArgs& a, Acc acc, int64_t output) {
    a.y[output] = Narrow<Out>(Reducer::Finish(acc, a.n, a.params));
  }
};

SL_REDUCE_KERNEL(ReduceArray<reducers::SL_REDUCER<Compute<T>>>, ReduceArgs)

}  // namespace sluice
