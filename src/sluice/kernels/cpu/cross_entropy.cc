#include "sluice/kernels/cpu/cross_entropy.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/exp_row.h"
#include "sluice/kernels/cpu/labels.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// The results for a row: log(sum(exp(x))) = max + log, and the probabilities
// times `weight` in `grad` unless that is null.
template <class T>
struct LogSum {
  Compute<T> max, log;
};
template <class T>
SL_INLINE LogSum<T> SoftmaxRow(const T* x, int64_t n, Compute<T> weight,
                               T* grad) {
  using C = Compute<T>;
  constexpr bool kKeep = sizeof(T) == sizeof(C);
  C max = rows::RowMax(x, n);
  if (!grad) {
    return {max, vmath::Log(rows::ExpSum<false>(x, n, max, grad))};
  }
  C sum = rows::ExpSum<kKeep>(x, n, max, grad);
  C by = weight / sum;
  SL_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (kKeep) {
      grad[i] *= by;
    } else {
      grad[i] =
          static_cast<T>(rows::ExpNegative(static_cast<C>(x[i]) - max) * by);
    }
  }
  return {max, vmath::Log(sum)};
}

template <class T>
struct SparseRow {
  static SL_INLINE void Run(const T* x, int64_t n, int64_t label, T* loss,
                            T* grad) {
    using C = Compute<T>;
    C at = static_cast<C>(x[label]);
    LogSum<T> s = SoftmaxRow(x, n, C(1), grad);
    *loss = static_cast<T>(s.log - (at - s.max));
    if (grad) {
      grad[label] = static_cast<T>(static_cast<C>(grad[label]) - 1);
    }
  }
};

template <class T>
struct DenseRow {
  static SL_INLINE void Run(const T* x, const T* p, int64_t n, T* loss,
                            T* grad) {
    using C = Compute<T>;
    using L = Lanes<C>;
    // loss = sum(p (max + log - x)) = log sum(p) - sum(p (x - max)).
    C max = rows::RowMax(x, n);
    L weight = L::Of(0), cross = L::Of(0);
    int64_t i = 0;
    for (; i + L::kCount <= n; i += L::kCount) {
      L t = L::Load(p + i);
      weight = weight + t;
      cross = MulAdd(t, L::Load(x + i) - L::Of(max), cross);
    }
    if (i < n) {
      L t = L::LoadSome(p + i, n - i, C(0));
      weight = weight + t;
      cross = MulAdd(t, L::LoadSome(x + i, n - i, max) - L::Of(max), cross);
    }
    C total = weight.Sum(), sum = cross.Sum();
    LogSum<T> s = SoftmaxRow(x, n, total, grad);
    *loss = static_cast<T>(MulAdd(s.log, total, -sum));
    SL_VECTORIZE
    for (i = 0; i < n; ++i) {
      grad[i] = static_cast<T>(static_cast<C>(grad[i]) - static_cast<C>(p[i]));
    }
  }
};

// Calls row(i) for all rows, in parallel.
template <class F>
void ForRows(KernelContext& ctx, int64_t rows, int64_t n, F row) {
  ParallelFor(ctx.step().pool, rows, (1 << 14) / (n + 1) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) row(i);
              });
}

}  // namespace

Status sparse_cross_entropy_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  int64_t rows = c.in(0).rank_known() ? c.in(0)[0] : kUnknownDim;
  int64_t labels = c.in(1).rank_known() ? c.in(1)[0] : kUnknownDim;
  if (rows >= 0 && labels >= 0 && rows != labels) {
    return c.Error(StrCat("counts differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted one label per row"));
  }
  c.set_out(0,
            PartialShape({rows >= 0 || labels == kUnknownDim ? rows : labels}));
  if (c.num_outputs() > 1) c.set_out(1, c.in(0));
  return OkStatus();
}

Status sparse_cross_entropy_kernel(KernelContext& ctx) {
  const Array &logits = ctx.in(0), &labels = ctx.in(1);
  int64_t n = logits.dim(1);
  const AttrValue* given = ctx.attrs().find("ignore_index");
  const int64_t* ignored = given ? &given->get<int64_t>() : nullptr;
  SL_RETURN_IF_ERROR(CheckLabels(ctx, 1, n, ignored));
  DispatchFloats(logits.dtype(), [&]<class T>() {
    const T* x = logits.data<T>();
    T* loss = ctx.out(0).mutable_data<T>();
    T* grad = ctx.num_outputs() > 1 ? ctx.out(1).mutable_data<T>() : nullptr;
    ForRows(ctx, logits.dim(0), n, [&](int64_t i) {
      int64_t label = LabelAt(labels, i);
      if (ignored && label == *ignored) {
        loss[i] = T(0);
        if (grad) std::fill_n(grad + i * n, n, T(0));
        return;
      }
      isa::Call<SparseRow<T>>(x + i * n, n, label, loss + i,
                              grad ? grad + i * n : nullptr);
    });
  });
  return OkStatus();
}

Status dense_cross_entropy_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(shapes::all_same(c));
  PartialShape x = c.out(0);
  SL_RETURN_IF_ERROR(c.WantRank(1, 2));
  c.set_out(1, x);
  c.set_out(0, PartialShape({x.rank_known() ? x[0] : kUnknownDim}));
  return OkStatus();
}

Status dense_cross_entropy_kernel(KernelContext& ctx) {
  const Array& logits = ctx.in(0);
  int64_t n = logits.dim(1);
  DispatchFloats(logits.dtype(), [&]<class T>() {
    const T *x = logits.data<T>(), *p = ctx.in(1).data<T>();
    T *loss = ctx.out(0).mutable_data<T>(),
      *grad = ctx.out(1).mutable_data<T>();
    ForRows(ctx, logits.dim(0), n, [&](int64_t i) {
      if (n == 0) {
        loss[i] = T(0);
      } else {
        isa::Call<DenseRow<T>>(x + i * n, p + i * n, n, loss + i, grad + i * n);
      }
    });
  });
  return OkStatus();
}

}  // namespace sluice
