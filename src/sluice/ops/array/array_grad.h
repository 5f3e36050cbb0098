// Helpers for gradient rules of ops that move elements. None of them keeps more
// of a value than its shape.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/op/grad_context.h"

namespace sluice {

// `value` everywhere, in the shape of x.
inline GradVar FilledAs(GradContext& g, GradVar x, double value, DType dtype) {
  return g.call("Fill", {g.shape_of(x), g.scalar(value, dtype)});
}
inline GradVar ZerosAs(GradContext& g, GradVar x) {
  return FilledAs(g, x, 0, x.dtype());
}

// The size of an axis, counted from the front, as a scalar of i64.
inline GradVar SizeOfAxis(GradContext& g, GradVar x, int axis) {
  PartialShape shape = x.shape();
  int64_t size = shape.rank_known() ? shape[axis] : kUnknownDim;
  if (size >= 0) return g.constant(Array::Scalar<int64_t>(size));
  GradVar one = g.call("Slice", {g.shape_of(x)},
                       {{"begin", std::vector<int64_t>{axis}},
                        {"size", std::vector<int64_t>{1}}});
  return g.call("Reshape", {one, g.ints({})});
}

// 0, 1, 2, ... as a vector of n, a scalar of i64.
inline GradVar CountTo(GradContext& g, GradVar n) {
  return g.call("Range", {g.constant(Array::Scalar<int64_t>(0)), n,
                          g.constant(Array::Scalar<int64_t>(1))});
}
// Numbers all elements of x in row-major order, in its shape.
inline GradVar Counted(GradContext& g, GradVar x) {
  PartialShape shape = x.shape();
  GradVar n =
      shape.fully_known()
          ? g.constant(Array::Scalar<int64_t>(shape.ToShape().num_elements()))
          : g.call("Size", {x});
  return g.call("Reshape", {CountTo(g, n), g.shape_of(x)});
}

// Sets the gradients of inputs `first` and later, which follow one another
// along an axis of `whole`.
inline void SplitBack(GradContext& g, GradVar whole, int first, int64_t axis) {
  if (!whole) return;
  if (first + 1 == g.num_inputs()) return g.set_dx(first, whole);
  int rank = whole.rank();
  bool known = rank > 0;
  if (known && axis < 0) axis += rank;
  for (int i = first; known && i < g.num_inputs(); ++i) {
    PartialShape part = g.in(i).shape();
    known = part.rank() == rank && part[static_cast<int>(axis)] >= 0;
  }
  if (!known) {
    std::vector<GradVar> in{whole};
    for (int i = first; i < g.num_inputs(); ++i) {
      in.push_back(g.shape_of(g.in(i)));
    }
    auto parts = g.call_all("ConcatGrad", in, {{"axis", axis}});
    for (size_t i = 0; i < parts.size(); ++i) {
      g.set_dx(first + static_cast<int>(i), parts[i]);
    }
    return;
  }
  // Slices are views: nothing is copied.
  auto n = static_cast<size_t>(rank), a = static_cast<size_t>(axis);
  std::vector<int64_t> begin(n, 0), size(n, -1);
  for (int i = first; i < g.num_inputs(); ++i, begin[a] += size[a]) {
    size[a] = g.in(i).shape()[static_cast<int>(axis)];
    if (!g.wants(i)) continue;
    g.set_dx(i, g.call("Slice", {whole}, {{"begin", begin}, {"size", size}}));
  }
}

}  // namespace sluice
