// Gradients of reductions with the attributes axes and keep_dims.
#pragma once

#include <algorithm>

#include "sluice/op/grad_context.h"

namespace sluice {

// A value of the result's shape with the reduced axes back in place with size
// 1, so that it broadcasts against input 0.
inline GradVar WithReducedAxes(GradContext& g, GradVar value) {
  if (!value || g.attr<bool>("keep_dims")) return value;
  const auto& named = g.attr<std::vector<int64_t>>("axes");
  SmallVector<int64_t, kMaxRank> axes{std::span<const int64_t>(named)};
  int rank = g.in(0).rank();
  // A scalar, which broadcasts against anything.
  if (rank < 0 && axes.empty()) return value;
  if (rank < 0) {
    g.fail("the gradient needs to know how many axes x has");
    return {};
  }
  for (int64_t& a : axes) a = a < 0 ? a + rank : a;
  if (axes.empty()) {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  }
  std::sort(axes.begin(), axes.end());
  PartialShape x = g.in(0).shape();
  if (x.fully_known()) {
    SmallVector<int64_t, kMaxRank> dims(x.dims());
    for (int64_t a : axes) dims[static_cast<size_t>(a)] = 1;
    return g.call("Reshape", {value, g.ints(dims)});
  }
  for (int64_t a : axes) value = g.call("ExpandDims", {value}, {{"axis", a}});
  return value;
}

// The gradient that flows into the result, at every element of input 0 that
// went into it.
inline GradVar BroadcastDy(GradContext& g) {
  return g.broadcast_as(WithReducedAxes(g, g.dy()), g.in(0));
}

// The reciprocal of the number of elements in each result, less `correction`,
// as a scalar of input 0's type: the number itself may exceed a half-precision
// type.
inline GradVar OneOverCount(GradContext& g, int64_t correction = 0) {
  GradVar x = g.in(0), y = g.out();
  PartialShape from = x.shape(), to = y.shape();
  if (from.fully_known() && to.fully_known()) {
    int64_t results = to.ToShape().num_elements();
    int64_t all = from.ToShape().num_elements();
    int64_t count = results ? all / results : 1;
    return g.scalar(1 / static_cast<double>(count - correction), x.dtype());
  }
  GradVar count = g.cast(g.call("Size", {x}), DType::kF64) /
                  g.cast(g.call("Size", {y}), DType::kF64);
  return g.cast(1.0 / (count - static_cast<double>(correction)), x.dtype());
}

// Input 0 less its mean over the reduced axes.
inline GradVar FromMean(GradContext& g) {
  GradVar x = g.in(0);
  Attrs attrs = {{"axes", g.attr<std::vector<int64_t>>("axes")},
                 {"keep_dims", true}};
  return x - g.call("Mean", {x}, attrs);
}

}  // namespace sluice
