// Index of the best element along an axis: ArgMax and ArgMin.
#pragma once

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

// Attributes "axis" and "keep_dims".
inline Status arg_reduce_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  bool results = true;
  for (int i = 0; i < x.rank(); ++i)
    results = results && (i == axis || x[i] > 0);
  if (x[axis] == 0 && results) {
    return c.Error(StrCat(c.Describe(0),
                          "; wanted at least one element along axis ", axis));
  }
  if (c.attr<bool>("keep_dims")) {
    dims[static_cast<size_t>(axis)] = 1;
  } else {
    dims.erase(dims.begin() + axis);
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

// F::Better(a, b): a beats b. The first of equals wins, and the first NaN wins
// over everything.
template <class F>
Status arg_reduce_kernel(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  int64_t* out = ctx.out(0).mutable_data<int64_t>();
  if (ctx.out(0).num_elements() == 0) return OkStatus();
  DispatchReals(x.dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T* data = x.data<T>();
    int64_t grain = 1 + (1 << 15) / (v.size + 1);
    ParallelFor(ctx.step().pool, v.outer * v.inner, grain,
                [&](int64_t begin, int64_t end) {
                  for (int64_t o = begin; o < end; ++o) {
                    const T* p =
                        data + o / v.inner * v.size * v.inner + o % v.inner;
                    C best = static_cast<C>(p[0]);
                    int64_t at = 0;
                    for (int64_t i = 1; i < v.size && best == best; ++i) {
                      C c = static_cast<C>(p[i * v.inner]);
                      if (F::Better(c, best) || c != c) {
                        best = c;
                        at = i;
                      }
                    }
                    out[o] = at;
                  }
                });
  });
  return OkStatus();
}

}  // namespace sluice
