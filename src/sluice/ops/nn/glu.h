// Shared by Glu and its gradient: x's axis is divided into two halves.
#pragma once

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::glu {

// The shape of half of input i.
inline Status HalfShape(const ShapeContext& c, int i, PartialShape* half) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(i, 1));
  const PartialShape& x = c.in(i);
  *half = PartialShape::Unknown();
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  Ints dims(x.dims().begin(), x.dims().end());
  int64_t& size = dims[static_cast<size_t>(axis)];
  if (size >= 0 && size % 2 != 0) {
    return c.Error(
        StrCat(c.Describe(i), "; wanted an even size of axis ", axis));
  }
  size = size < 0 ? kUnknownDim : size / 2;
  SL_ASSIGN_OR_RETURN(*half, MakeOutShape(c, dims));
  return OkStatus();
}

// Calls run(first half, second half, half of the result, count) with offsets of
// contiguous stretches.
template <class F>
void ForStretches(KernelContext& ctx, const Shape& x, F run) {
  constexpr int64_t kGrain = 1 << 13;
  AxisView v(x, ctx.attr<int64_t>("axis"));
  int64_t half = v.size / 2 * v.inner;
  if (v.outer == 0 || half == 0) return;
  int64_t cuts = (half + kGrain - 1) / kGrain;
  ParallelFor(ctx.step().pool, v.outer * cuts, kGrain / half + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  int64_t o = t / cuts, at = t % cuts * kGrain;
                  int64_t n = std::min(kGrain, half - at);
                  run(o * 2 * half + at, (o * 2 + 1) * half + at, o * half + at,
                      n);
                }
              });
}

// The index of the other half's element.
inline Ints Other(const Ints& at, int axis, int64_t half) {
  Ints other = at;
  other[static_cast<size_t>(axis)] += half;
  return other;
}

}  // namespace sluice::glu
