// Shared by Quantize and Dequantize: scale and zero_point are both scalars, or
// both vectors with an entry for each index of one axis.
#pragma once

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/record.h"

namespace sluice::quantize {

// Output 0 has x's shape.
inline Status Infer(ShapeContext& c) {
  const PartialShape &x = c.in(0), &scale = c.in(1), &zero = c.in(2);
  c.set_out(0, x);
  if (scale.rank_known() && zero.rank_known() && !scale.CompatibleWith(zero)) {
    return c.Error(
        StrCat(c.Describe(1), ", ", c.Describe(2), "; wanted equal shapes"));
  }
  if (!scale.rank_known() || scale.rank() == 0) return OkStatus();
  if (scale.rank() != 1) {
    return c.Error(StrCat(c.Describe(1), "; wanted a scalar or a vector"));
  }
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  if (scale[0] >= 0 && x[axis] >= 0 && scale[0] != x[axis]) {
    return c.Error(StrCat(c.Describe(1), ", ", c.Describe(0),
                          "; wanted an entry for each index of axis ", axis));
  }
  return OkStatus();
}

// Scales must be above 0 and finite, zero points within the integer type.
inline Status CheckValues(KernelContext& ctx, int64_t lo, int64_t hi) {
  const float* scale = ctx.in(1).data<float>();
  const int32_t* zero = ctx.in(2).data<int32_t>();
  for (int64_t i = 0; i < ctx.in(1).num_elements(); ++i) {
    if (!(scale[i] > 0) || scale[i] > 3.4e38f) {
      return ctx.Error(StrCat("scale ", i, " is ", scale[i],
                              "; wanted a finite number above 0"));
    }
    if (zero[i] < lo || zero[i] > hi) {
      return ctx.Error(StrCat("zero_point ", i, " is ", zero[i], "; wanted ",
                              lo, " to ", hi));
    }
  }
  return OkStatus();
}

// Calls run(begin, n, scale, zero point) for stretches of elements with one
// scale that cover x. Needs ctx.in(0)'s shape only.
template <class F>
void ForEachStretch(KernelContext& ctx, F&& run) {
  const Array &x = ctx.in(0), &scales = ctx.in(1);
  const float* scale = scales.data<float>();
  const int32_t* zero = ctx.in(2).data<int32_t>();
  const int64_t elements = x.num_elements();
  if (elements == 0) return;
  constexpr int64_t kGrain = 1 << 15;
  if (scales.rank() == 0) {
    ParallelFor(ctx.step().pool, elements, kGrain,
                [&](int64_t begin, int64_t end) {
                  run(begin, end - begin, scale[0], zero[0]);
                  ctx.Finish(begin, end - begin);
                });
    return;
  }
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += x.rank();
  int64_t inner = 1;
  for (int i = static_cast<int>(axis) + 1; i < x.rank(); ++i) {
    inner *= x.dim(i);
  }
  const int64_t channels = scales.num_elements();
  const int64_t grain = std::max<int64_t>(1, kGrain / inner);
  ParallelFor(ctx.step().pool, elements / inner, grain,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  run(i * inner, inner, scale[i % channels],
                      zero[i % channels]);
                }
                ctx.Finish(begin * inner, (end - begin) * inner);
              });
}

// The entry of scale for an index, for references.
inline size_t Entry(const RefArray& scale, const std::vector<int64_t>& index,
                    int64_t axis) {
  if (scale.shape.rank() == 0) return 0;
  auto rank = static_cast<int64_t>(index.size());
  return static_cast<size_t>(
      index[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
}

}  // namespace sluice::quantize
