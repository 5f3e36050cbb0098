// Running sums and similar scans along an axis, in an order that depends only
// on the shape. Stateless; any thread.
//
// A scan is given by an Op:
//   template <class C> static C Start();        // neutral element
//   template <class C> static C Apply(C a, C x);  // a: all before, x: the next
// and, if Apply is associative up to rounding and works on vectors,
//   static constexpr bool kAssociative = true;
//   static constexpr bool kWraps = true;  // on integers it may overflow
// Then rows are scanned four elements at a time and long rows in parts, and for
// floats the running value is kept in double.
#pragma once

#include <algorithm>
#include <cstring>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

// Attribute "axis"; the output is like the input.
Status scan_shape(ShapeContext& c);
// For long rows, which are scanned in parts.
int64_t scan_workspace(const ShapeContext& c);

namespace scan {

constexpr int64_t kPart = 1 << 15;  // elements of a row that one task scans
constexpr int64_t kStrip = 256;     // columns scanned side by side

inline int64_t PartsOf(int64_t size) {
  return size < 4 * kPart ? 1 : (size + kPart - 1) / kPart;
}

struct Order {
  bool exclusive, reverse;
};

template <class Op>
constexpr bool kAssociative = requires { Op::kAssociative; };

// The type of the running value.
template <class Op, class T>
using Before =
    std::conditional_t<kAssociative<Op> && std::is_same_v<Compute<T>, float>,
                       double, Compute<T>>;

template <class T, class B>
SL_INLINE T Narrow(B v) {
  return static_cast<T>(static_cast<Compute<T>>(v));
}

// Element i in scan order, and the value written there.
template <class Op, class T>
void RowInOrder(const T* x, T* y, int64_t n, Before<Op, T> all, Order order) {
  using B = Before<Op, T>;
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = order.reverse ? n - 1 - i : i;
    B before = all;
    all = Op::Apply(before, static_cast<B>(static_cast<Compute<T>>(x[at])));
    y[at] = Narrow<T>(order.exclusive ? before : all);
  }
}

// Sixteen elements at a time: each vector of four is scanned separately, then
// they are combined, so that only one step in sixteen waits for the previous
// one.
template <class Op, class C>
void RowByVectors(const C* x, C* y, int64_t n, Before<Op, C> all) {
  typedef C V __attribute__((vector_size(16)));
  static_assert(sizeof(C) == 4);
  constexpr int kVectors = 4;
  const C start = Op::template Start<C>();
  const V neutral = {start, start, start, start};
  int64_t i = 0;
  for (; i + 4 * kVectors <= n; i += 4 * kVectors) {
    V v[kVectors];
    std::memcpy(v, x + i, sizeof v);
    for (V& u : v) {
      u = Op::Apply(__builtin_shufflevector(neutral, u, 0, 4, 5, 6), u);
      u = Op::Apply(__builtin_shufflevector(neutral, u, 0, 1, 4, 5), u);
    }
    for (int k = 1; k < kVectors; ++k) {
      V last = __builtin_shufflevector(v[k - 1], v[k - 1], 3, 3, 3, 3);
      v[k] = Op::Apply(last, v[k]);
    }
    C before = static_cast<C>(all);
    all = Op::Apply(all, static_cast<Before<Op, C>>(v[kVectors - 1][3]));
    for (V& u : v) u = Op::Apply(V{before, before, before, before}, u);
    std::memcpy(y + i, v, sizeof v);
  }
  RowInOrder<Op, C>(x + i, y + i, n - i, all, {false, false});
}

template <class Op, class T>
void Row(const T* x, T* y, int64_t n, Before<Op, T> all, Order order) {
  // Integers that may overflow are computed as unsigned.
  constexpr bool kWraps = requires { Op::kWraps; };
  using U = std::conditional_t<kWraps && std::is_same_v<T, int32_t>, uint32_t,
                               Compute<T>>;
  constexpr bool kVectors = kAssociative<Op> && (std::is_same_v<T, float> ||
                                                 std::is_same_v<T, int32_t> ||
                                                 std::is_same_v<T, uint32_t>);
  if constexpr (kVectors) {
    if (!order.exclusive && !order.reverse) {
      return RowByVectors<Op, U>(reinterpret_cast<const U*>(x),
                                 reinterpret_cast<U*>(y), n,
                                 static_cast<Before<Op, U>>(all));
    }
  }
  RowInOrder<Op, T>(x, y, n, all, order);
}

// The total of a part, for the parts after it.
template <class Op, class T>
struct TotalLoop {
  using B = Before<Op, T>;
  static B Run(const T* x, int64_t n) {
    constexpr int kLanes = 16;
    auto wide = [](T v) { return static_cast<B>(static_cast<Compute<T>>(v)); };
    B lane[kLanes];
    for (B& a : lane) a = Op::template Start<B>();
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        lane[k] = Op::Apply(lane[k], wide(x[i + k]));
      }
    }
    for (; i < n; ++i) lane[0] = Op::Apply(lane[0], wide(x[i]));
    for (int k = 1; k < kLanes; ++k) lane[0] = Op::Apply(lane[0], lane[k]);
    return lane[0];
  }
};

// One row of n columns: all[k] is the running value of column k.
template <class Op, class T>
struct ColumnsLoop {
  using B = Before<Op, T>;
  static void Run(const T* x, T* y, int64_t n, B* all, bool exclusive) {
    SL_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      B before = all[k];
      B now = Op::Apply(before, static_cast<B>(static_cast<Compute<T>>(x[k])));
      all[k] = now;
      y[k] = Narrow<T>(exclusive ? before : now);
    }
  }
};

template <class Op, class T>
void Rows(const AxisView& v, Order order, const T* x, T* y, void* workspace,
          WorkerPool* pool) {
  using B = Before<Op, T>;
  const B start = Op::template Start<B>();
  int64_t parts = kAssociative<Op> ? PartsOf(v.size) : 1;
  if (parts == 1) {
    ParallelFor(
        pool, v.outer, 1 + kPart / v.size, [&](int64_t begin, int64_t end) {
          for (int64_t o = begin; o < end; ++o) {
            Row<Op, T>(x + o * v.size, y + o * v.size, v.size, start, order);
          }
        });
    return;
  }
  // Part p in scan order: its start and length.
  auto place = [&](int64_t p, int64_t* n) {
    *n = std::min(kPart, v.size - p * kPart);
    return order.reverse ? v.size - p * kPart - *n : p * kPart;
  };
  if constexpr (kAssociative<Op>) {
    B* totals = static_cast<B*>(workspace);
    ParallelFor(pool, v.outer * parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t n, at = place(t % parts, &n);
        totals[t] = isa::Call<TotalLoop<Op, T>>(x + t / parts * v.size + at, n);
      }
    });
    for (int64_t o = 0; o < v.outer; ++o) {
      B all = start;
      for (int64_t p = 0; p < parts; ++p) {
        B total = totals[o * parts + p];
        totals[o * parts + p] = all;
        all = Op::Apply(all, total);
      }
    }
    ParallelFor(pool, v.outer * parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t n, at = place(t % parts, &n);
        at += t / parts * v.size;
        Row<Op, T>(x + at, y + at, n, totals[t], order);
      }
    });
  }
}

template <class Op, class T>
void Columns(const AxisView& v, Order order, const T* x, T* y,
             WorkerPool* pool) {
  using B = Before<Op, T>;
  int64_t strips = (v.inner + kStrip - 1) / kStrip;
  int64_t grain = 1 + kPart / (v.size * std::min(v.inner, kStrip));
  auto run = isa::Pick<ColumnsLoop<Op, T>, const T*, T*, int64_t, B*, bool>();
  ParallelFor(pool, v.outer * strips, grain, [&](int64_t begin, int64_t end) {
    B all[kStrip];
    for (int64_t t = begin; t < end; ++t) {
      int64_t first = t % strips * kStrip;
      int64_t n = std::min(kStrip, v.inner - first);
      std::fill_n(all, n, Op::template Start<B>());
      for (int64_t i = 0; i < v.size; ++i) {
        int64_t row = order.reverse ? v.size - 1 - i : i;
        int64_t at = (t / strips * v.size + row) * v.inner + first;
        run(x + at, y + at, n, all, order.exclusive);
      }
    }
  });
}

}  // namespace scan

// Attributes "axis" and "reverse", and "exclusive" if kExclusive. The result
// may overlap the input.
template <class Op, bool kExclusive, class List>
struct ScanKernel;
template <class Op, bool kExclusive, class... Ts>
struct ScanKernel<Op, kExclusive, Types<Ts...>> {
  static Status Launch(KernelContext& ctx) {
    const Array& x = ctx.in(0);
    if (x.num_elements() == 0) return OkStatus();
    AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
    scan::Order order{false, ctx.attr<bool>("reverse")};
    if constexpr (kExclusive) order.exclusive = ctx.attr<bool>("exclusive");
    auto run = [&]<class T>() {
      T* y = ctx.out(0).mutable_data<T>();
      WorkerPool* pool = ctx.step().pool;
      if (v.inner == 1) {
        scan::Rows<Op, T>(v, order, x.data<T>(), y, ctx.workspace(), pool);
      } else {
        scan::Columns<Op, T>(v, order, x.data<T>(), y, pool);
      }
    };
    ((DTypeOf<Ts>::value == x.dtype() ? run.template operator()<Ts>() : void()),
     ...);
    return OkStatus();
  }
};

}  // namespace sluice
