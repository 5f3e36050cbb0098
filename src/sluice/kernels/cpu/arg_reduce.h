// The index of the best element along an axis: ArgMax and ArgMin. The first of
// equal elements wins, and the first NaN wins over everything.
//
// Along the last axis, the best value of a block is found first, as in a
// reduction, and its index only if it beats the earlier blocks. Along other
// axes, adjacent columns are searched side by side. Stateless; any thread.
#pragma once

#include <algorithm>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/reduce.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

// Attributes "axis" and "keep_dims".
Status arg_reduce_shape(ShapeContext& c);
// For long rows, which are searched in parts.
int64_t arg_reduce_workspace(const ShapeContext& c);

namespace arg_reduce {

constexpr int64_t kBlock = 2048;    // elements read at a time
constexpr int64_t kPart = 1 << 16;  // elements of a row that one task searches
constexpr int64_t kStrip = 512;     // columns searched side by side

// The number of parts of a row; 1 if one task searches it.
inline int64_t PartsOf(int64_t size) {
  return size < 2 * kPart ? 1 : (size + kPart - 1) / kPart;
}

template <class F, class C>
struct BestOf {
  using Acc = C;
  static Acc Start() {
    using Limits = std::numeric_limits<C>;
    C low = std::is_floating_point_v<C> ? -Limits::infinity() : Limits::min();
    C high = std::is_floating_point_v<C> ? Limits::infinity() : Limits::max();
    return F::Better(low, high) ? high : low;
  }
  static Acc Step(Acc best, C x) {
    bool next = F::Better(x, best) | (x != x);  // no branch
    return next ? x : best;
  }
  static Acc Combine(Acc a, Acc b) { return Step(a, b); }
};

// The index of the first of n elements equal to `best`, or of the first NaN if
// `best` is NaN.
template <class T>
struct FindLoop {
  using C = Compute<T>;
  static int64_t Run(const T* x, int64_t n, C best) {
    constexpr int64_t kStep = 64;
    int64_t i = 0;
    for (; i + kStep < n; i += kStep) {
      bool found = false;
      for (int64_t k = 0; k < kStep; ++k) {
        C v = static_cast<C>(x[i + k]);
        found |= (v == best) | (v != v);
      }
      if (found) break;
    }
    for (; i < n; ++i) {
      C v = static_cast<C>(x[i]);
      if (v == best || v != v) return i;
    }
    return n - 1;
  }
};

// Compares rows [row, row + rows) of n columns with best[i], found at at[i].
template <class F, class T, class I>
struct ColumnsLoop {
  using C = Compute<T>;
  static void Run(const T* x, I row, int64_t n, C* best, I* at) {
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      C v = static_cast<C>(x[i]), b = best[i];
      bool better = (F::Better(v, b) | (v != v)) & (b == b);
      best[i] = better ? v : b;
      at[i] = better ? row : at[i];
    }
  }
};

template <class C>
struct Place {
  C value;
  int64_t at;
};

template <class F, class T>
struct Search {
  using C = Compute<T>;
  const KernelContext& ctx;
  AxisView v;
  int64_t* out;

  // The best of elements [begin, end) of a row; indices count from `row`.
  Place<C> Row(int64_t row, int64_t begin, int64_t end) const {
    T scratch[kBlock];
    Place<C> best{C(), begin};
    for (int64_t i = begin; i < end; i += kBlock) {
      int64_t n = std::min(kBlock, end - i);
      const T* x = ctx.Load(row + i, n, scratch);
      C value;
      isa::Call<reduce_internal::RowsLoop<BestOf<F, C>, T>>(
          static_cast<const void*>(x), int64_t{1}, n,
          static_cast<void*>(&value), BlockParams());
      if (i > begin && !F::Better(value, best.value) && value == value) {
        continue;
      }
      best = {value, i + isa::Call<FindLoop<T>>(x, n, value)};
      if (value != value) break;
    }
    return best;
  }

  void Rows() const {
    int64_t parts = PartsOf(v.size);
    WorkerPool* pool = ctx.step().pool;
    if (parts == 1) {
      int64_t grain = 1 + kPart / v.size;
      ParallelFor(pool, v.outer, grain, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) {
          out[o] = Row(o * v.size, 0, v.size).at;
        }
        ctx.Finish(begin, end - begin);
      });
      return;
    }
    auto* places = static_cast<Place<C>*>(ctx.workspace());
    ParallelFor(pool, v.outer * parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t first = t % parts * kPart;
        places[t] =
            Row(t / parts * v.size, first, std::min(first + kPart, v.size));
      }
    });
    for (int64_t o = 0; o < v.outer; ++o) {
      Place<C> best = places[o * parts];
      for (int64_t p = 1; p < parts && best.value == best.value; ++p) {
        Place<C> next = places[o * parts + p];
        bool better = F::Better(next.value, best.value);
        if (better || next.value != next.value) best = next;
      }
      out[o] = best.at;
    }
    ctx.Finish(0, v.outer);
  }

  // I: wide enough for an index, and as wide as C if possible.
  template <class I>
  void Columns() const {
    int64_t strips = (v.inner + kStrip - 1) / kStrip;
    int64_t grain = 1 + kPart / (v.size * std::min(v.inner, kStrip));
    auto body = [&](int64_t begin, int64_t end) {
      C best[kStrip];
      I at[kStrip];
      T scratch[kStrip];
      auto run =
          isa::Pick<ColumnsLoop<F, T, I>, const T*, I, int64_t, C*, I*>();
      for (int64_t t = begin; t < end; ++t) {
        int64_t outer = t / strips, first = t % strips * kStrip;
        int64_t n = std::min(kStrip, v.inner - first);
        int64_t base = outer * v.size * v.inner + first;
        const T* x = ctx.Load(base, n, scratch);
        for (int64_t i = 0; i < n; ++i) best[i] = static_cast<C>(x[i]);
        std::fill_n(at, n, I(0));
        for (int64_t row = 1; row < v.size; ++row) {
          run(ctx.Load(base + row * v.inner, n, scratch), static_cast<I>(row),
              n, best, at);
        }
        int64_t to = outer * v.inner + first;
        std::copy_n(at, n, out + to);
        ctx.Finish(to, n);
      }
    };
    ParallelFor(ctx.step().pool, v.outer * strips, grain, body);
  }
};

}  // namespace arg_reduce

// F::Better(a, b): a beats b.
template <class F>
Status arg_reduce_kernel(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  if (ctx.out(0).num_elements() == 0) return OkStatus();
  DispatchReals(x.dtype(), [&]<class T>() {
    using C = Compute<T>;
    arg_reduce::Search<F, T> search{ctx, v, ctx.out(0).mutable_data<int64_t>()};
    if (v.inner == 1) {
      search.Rows();
    } else if (sizeof(C) <= 4 && v.size <= INT32_MAX) {
      search.template Columns<int32_t>();
    } else {
      search.template Columns<int64_t>();
    }
  });
  return OkStatus();
}

}  // namespace sluice
