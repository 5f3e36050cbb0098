// Reductions over any set of axes, in an order that depends only on the shape:
// lanes, then blocks, then chunks are combined one after another, for any
// number of threads and any fused input. Stateless; any thread.
//
// A reduction is given by a Reducer:
//   using Acc = ...;                      // the type numbers are gathered in
//   static Acc Start();                   // neutral element
//   static Acc Step(Acc acc, C x);        // one more element
//   static Acc Combine(Acc a, Acc b);     // two partial results
//   static T Finish(Acc acc, int64_t n);  // n: how many elements went in
// Step and Finish may take the BlockParams of the launch as last argument. A
// reducer with its own loops for rows of floats names them FloatRows.
//
// The kernels read input 0 through KernelContext::Load and call Finish: records
// declare fuse_input() and fuse_output().
#pragma once

#include <algorithm>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// The loops of one reducer for one element type; the rest of the code is
// shared.
struct ReduceLoops {
  int64_t acc_bytes;  // at most kMaxAccBytes
  // acc[r] = reduction of row r, the n elements from x + r * n.
  void (*rows)(const void* x, int64_t rows, int64_t n, void* acc,
               const BlockParams& params);
  // acc[i] = Step(acc[i], x[r * stride + i]) for n columns, row after row.
  void (*columns)(const void* x, int64_t stride, int64_t rows, int64_t n,
                  void* acc, const BlockParams& params);
  void (*start)(void* acc, int64_t n);
  void (*combine)(void* acc, const void* other, int64_t n);
  void (*finish)(const void* acc, int64_t n, int64_t reduced, void* out,
                 const BlockParams& params);
};
inline constexpr int64_t kMaxAccBytes = 32;

// Reduces input 0 into output 0 by attribute "axes".
Status RunReduce(KernelContext& ctx, const ReduceLoops& loops,
                 const BlockParams& params = {});
// Its workspace, for accumulators of 8 bytes, and of kMaxAccBytes.
int64_t reduce_workspace(const ShapeContext& c);
int64_t reduce_wide_workspace(const ShapeContext& c);

// As shapes::reduce, but it is an error if a result has no elements to reduce.
Status reduce_nonempty_shape(ShapeContext& c);

namespace reduce_internal {

template <class R, class C>
SL_INLINE typename R::Acc StepOf(typename R::Acc acc, C x,
                                 const BlockParams& params) {
  if constexpr (requires { R::Step(acc, x, params); }) {
    return R::Step(acc, x, params);
  } else {
    return R::Step(acc, x);
  }
}

template <class R, class T>
struct RowsLoop {
  using Acc = typename R::Acc;
  using C = Compute<T>;

  // Independent lanes let strict arithmetic vectorize; they are folded in
  // halves.
  template <int kLanes>
  static SL_INLINE Acc Lanes(const T* x, int64_t n, const BlockParams& params) {
    // Indexed only by constants once unrolled, so that it stays in registers.
    Acc lane[kLanes];
    for (Acc& a : lane) a = R::Start();
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        lane[k] = StepOf<R>(lane[k], static_cast<C>(x[i + k]), params);
      }
    }
    Acc all[kLanes];
    for (int k = 0; k < kLanes; ++k) all[k] = lane[k];
    for (int k = 0; i + k < n; ++k) {
      all[k] = StepOf<R>(all[k], static_cast<C>(x[i + k]), params);
    }
    for (int width = kLanes / 2; width > 0; width /= 2) {
      for (int k = 0; k < width; ++k) {
        all[k] = R::Combine(all[k], all[k + width]);
      }
    }
    return all[0];
  }
  static void Run(const void* data, int64_t rows, int64_t n, void* result,
                  const BlockParams& params) {
    // Eight vectors hide the latency of an addition.
    constexpr int kMany =
        sizeof(Acc) >= 4 ? static_cast<int>(128 / sizeof(Acc)) : 32;
    constexpr int kFew = kMany / 2;
    const T* x = static_cast<const T*>(data);
    Acc* acc = static_cast<Acc*>(result);
    if (n >= 4 * kMany) {
      for (int64_t r = 0; r < rows; ++r) {
        acc[r] = Lanes<kMany>(x + r * n, n, params);
      }
    } else if (n >= kFew) {
      for (int64_t r = 0; r < rows; ++r) {
        acc[r] = Lanes<kFew>(x + r * n, n, params);
      }
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        Acc a = R::Start();
        for (int64_t i = 0; i < n; ++i) {
          a = StepOf<R>(a, static_cast<C>(x[r * n + i]), params);
        }
        acc[r] = a;
      }
    }
  }
};

template <class R, class T>
struct ColumnsLoop {
  using Acc = typename R::Acc;
  using C = Compute<T>;
  static void Run(const void* data, int64_t stride, int64_t rows, int64_t n,
                  void* result, const BlockParams& params) {
    const T* x = static_cast<const T*>(data);
    Acc* acc = static_cast<Acc*>(result);
    // Several rows between loading and storing an accumulator.
    for (; rows >= 4; rows -= 4, x += 4 * stride) {
      const T *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        Acc a = StepOf<R>(acc[i], static_cast<C>(x[i]), params);
        a = StepOf<R>(a, static_cast<C>(x1[i]), params);
        a = StepOf<R>(a, static_cast<C>(x2[i]), params);
        acc[i] = StepOf<R>(a, static_cast<C>(x3[i]), params);
      }
    }
    for (; rows > 0; --rows, x += stride) {
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        acc[i] = StepOf<R>(acc[i], static_cast<C>(x[i]), params);
      }
    }
  }
};

template <class R, class Out>
struct OtherLoops {
  using Acc = typename R::Acc;
  static void Start(void* acc, int64_t n) {
    std::fill_n(static_cast<Acc*>(acc), n, R::Start());
  }
  static void Combine(void* acc, const void* other, int64_t n) {
    Acc* a = static_cast<Acc*>(acc);
    const Acc* b = static_cast<const Acc*>(other);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) a[i] = R::Combine(a[i], b[i]);
  }
  static void Finish(const void* acc, int64_t n, int64_t reduced, void* out,
                     const BlockParams& params) {
    const Acc* a = static_cast<const Acc*>(acc);
    Out* y = static_cast<Out*>(out);
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (requires { R::Finish(a[i], reduced, params); }) {
        y[i] = static_cast<Out>(R::Finish(a[i], reduced, params));
      } else {
        y[i] = static_cast<Out>(R::Finish(a[i], reduced));
      }
    }
  }
};

template <class R, class T>
struct ChooseRows {
  using type = RowsLoop<R, T>;
};
template <class R>
  requires requires { typename R::FloatRows; }
struct ChooseRows<R, float> {
  using type = typename R::FloatRows;
};

// Out: the type of the result.
template <class R, class T, class Out,
          class Rows = typename ChooseRows<R, T>::type,
          class Columns = ColumnsLoop<R, T>>
const ReduceLoops& LoopsOf() {
  using Params = const BlockParams&;
  using Other = OtherLoops<R, Out>;
  static_assert(sizeof(typename R::Acc) <= kMaxAccBytes);
  static const ReduceLoops loops{
      sizeof(typename R::Acc),
      isa::Pick<Rows, const void*, int64_t, int64_t, void*, Params>(),
      isa::Pick<Columns, const void*, int64_t, int64_t, int64_t, void*,
                Params>(),
      Other::Start,
      Other::Combine,
      Other::Finish};
  return loops;
}

template <template <class> class Reducer, class... Ts>
const ReduceLoops* Pick(DType dtype, Types<Ts...>) {
  const ReduceLoops* loops = nullptr;
  ((DTypeOf<Ts>::value == dtype
        ? void(loops = &LoopsOf<Reducer<Compute<Ts>>, Ts, Ts>())
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
