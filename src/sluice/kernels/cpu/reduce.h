// Reductions over any set of axes, in an order fixed by shape alone: lanes,
// then blocks, then chunks are combined one after the other, whatever the
// number of threads.
//
// A reduction is given by a Reducer:
//   using Acc = ...;                      // the type numbers are gathered in
//   static Acc Start();                   // neutral element
//   static Acc Step(Acc acc, C x);        // one more element
//   static Acc Combine(Acc a, Acc b);     // two partial results
//   static T Finish(Acc acc, int64_t n);  // n: how many elements went in
#pragma once

#include <algorithm>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// The loops of one reducer for one element type; everything else is shared.
struct ReduceLoops {
  int64_t acc_bytes;
  // *acc = reduction of n elements in a row.
  void (*row)(const void* x, int64_t n, void* acc);
  // acc[i] = Step(acc[i], x[i]) for n columns.
  void (*columns)(const void* x, int64_t n, void* acc);
  void (*start)(void* acc, int64_t n);
  void (*combine)(void* acc, const void* other, int64_t n);
  void (*finish)(const void* acc, int64_t n, int64_t reduced, void* out);
};

// Reduces input 0 into output 0 by attribute "axes".
Status RunReduce(KernelContext& ctx, const ReduceLoops& loops);
// Scratch for it.
int64_t reduce_workspace(const ShapeContext& c);

// As shapes::reduce, but reducing no elements to a result is an error.
Status reduce_nonempty_shape(ShapeContext& c);

namespace reduce_internal {

template <class R, class T>
struct Loops {
  using Acc = typename R::Acc;
  using C = Compute<T>;

  static void Row(const void* data, int64_t n, void* result) {
    // Independent lanes let strict arithmetic vectorise.
    constexpr int kLanes = 16;
    const T* x = static_cast<const T*>(data);
    Acc lane[kLanes];
    for (Acc& a : lane) a = R::Start();
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        lane[k] = R::Step(lane[k], static_cast<C>(x[i + k]));
      }
    }
    for (int k = 0; i + k < n; ++k) {
      lane[k] = R::Step(lane[k], static_cast<C>(x[i + k]));
    }
    for (int width = kLanes / 2; width > 0; width /= 2) {
      for (int k = 0; k < width; ++k) {
        lane[k] = R::Combine(lane[k], lane[k + width]);
      }
    }
    *static_cast<Acc*>(result) = lane[0];
  }
  static void Columns(const void* data, int64_t n, void* acc) {
    const T* x = static_cast<const T*>(data);
    Acc* a = static_cast<Acc*>(acc);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) a[i] = R::Step(a[i], static_cast<C>(x[i]));
  }
  static void StartAll(void* acc, int64_t n) {
    std::fill_n(static_cast<Acc*>(acc), n, R::Start());
  }
  static void CombineAll(void* acc, const void* other, int64_t n) {
    Acc* a = static_cast<Acc*>(acc);
    const Acc* b = static_cast<const Acc*>(other);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) a[i] = R::Combine(a[i], b[i]);
  }
  static void FinishAll(const void* acc, int64_t n, int64_t reduced,
                        void* out) {
    const Acc* a = static_cast<const Acc*>(acc);
    T* y = static_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<T>(R::Finish(a[i], reduced));
    }
  }
  static constexpr ReduceLoops kLoops{sizeof(Acc), Row,        Columns,
                                      StartAll,    CombineAll, FinishAll};
};

template <template <class> class Reducer, class... Ts>
const ReduceLoops* Pick(DType dtype, Types<Ts...>) {
  const ReduceLoops* loops = nullptr;
  ((DTypeOf<Ts>::value == dtype
        ? void(loops = &Loops<Reducer<Compute<Ts>>, Ts>::kLoops)
        : void()),
   ...);
  return loops;
}

}  // namespace reduce_internal

// .cpu(reduce_kernel<SumOf>).cpu_workspace(reduce_workspace)
template <template <class> class Reducer, class List = RealTypes>
Status reduce_kernel(KernelContext& ctx) {
  const ReduceLoops* loops =
      reduce_internal::Pick<Reducer>(ctx.in(0).dtype(), List{});
  return loops ? RunReduce(ctx, *loops) : ctx.Error("no kernel for this type");
}

}  // namespace sluice
