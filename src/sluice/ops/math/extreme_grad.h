// Gradients of what picks the largest or smallest: Max, Min, Maximum, Minimum
// and the norms that do. Elements that tie share evenly.
#pragma once

#include "sluice/op/grad_context.h"
#include "sluice/ops/math/reduce_grad.h"

namespace sluice {

// For y = a reduction of x that selects one of its elements: dy, divided among
// the elements of x that equal y. y and dy have the shape of the result.
inline GradVar ShareAmong(GradContext& g, GradVar x, GradVar y, GradVar dy) {
  GradVar best = g.call("Equal", {x, WithReducedAxes(g, y)});
  Attrs attrs = {{"axes", g.attr<std::vector<int64_t>>("axes")},
                 {"keep_dims", true}};
  GradVar count = g.call("Sum", {g.cast(best, x.dtype())}, attrs);
  GradVar share = WithReducedAxes(g, dy) / count;
  return g.call("Select", {best, share, g.scalar(0, x.dtype())});
}

// For y = the one of inputs 0 and 1 for which `wins` (Greater, Less) holds.
inline void ExtremeOfTwoGrad(GradContext& g, std::string_view wins) {
  GradVar a = g.in(0), b = g.in(1), dy = g.dy();
  GradVar zero = g.scalar(0, dy.dtype());
  GradVar tie = g.call("Equal", {a, b}), half = 0.5 * dy;
  auto part = [&](GradVar x, GradVar other) {
    GradVar won = g.call("Select", {g.call(wins, {x, other}), dy, zero});
    return g.call("Select", {tie, half, won});
  };
  if (g.wants(0)) g.set_dx(0, part(a, b));
  if (g.wants(1)) g.set_dx(1, part(b, a));
}

}  // namespace sluice
