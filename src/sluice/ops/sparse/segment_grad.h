// Gradients of segment reductions: what flows into a segment flows on to its
// rows. Ops with two inputs are of the sorted family, with three of the
// unsorted one, which leaves out rows with a negative id.
#pragma once

#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/complex_grad.h"

namespace sluice::segment_grad {

// For each row of data, that of its segment; 0 for omitted ones.
inline GradVar Take(GradContext& g, GradVar segments) {
  GradVar ids = g.in(1);
  if (!segments || g.num_inputs() == 2) {
    return g.call("Gather", {segments, ids});
  }
  int rank = segments.rank();
  if (rank < 0) {
    g.fail("the gradient needs to know how many axes data and ids have");
    return {};
  }
  // A row of zeros before all others is what negative ids name.
  std::vector<int64_t> pads(2 * static_cast<size_t>(rank), 0);
  pads[0] = 1;
  GradVar rows = g.call("Pad", {segments}, {{"paddings", pads}});
  GradVar at = g.call("Maximum", {ids, g.scalar(-1, ids.dtype())}) + 1.0;
  return g.call("Gather", {rows, at});
}

// "Sum" or "Prod" of values like data, by segment.
inline GradVar Reduce(GradContext& g, const char* how, GradVar values) {
  std::string name = std::string("Segment") + how;
  if (g.num_inputs() == 2) return g.call(name, {values, g.in(1)});
  return g.call("Unsorted" + name, {values, g.in(1), g.in(2)});
}

inline void sum_rule(GradContext& g) { g.set_dx(0, Take(g, g.dy())); }

inline void mean_rule(GradContext& g) {
  GradVar dy = g.dy();
  int rank = dy.rank();
  if (rank < 0) return g.fail("the gradient needs to know dy's rank");
  // Halves do not count far.
  DType wide = dy.dtype() == DType::kF64 ? DType::kF64 : DType::kF32;
  GradVar counts = Reduce(g, "Sum", FilledAs(g, g.in(1), 1, wide));
  GradVar one = g.scalar(1, wide);
  GradVar parts = g.cast(one / g.call("Maximum", {counts, one}), dy.dtype());
  if (rank > 1) {
    std::vector<int64_t> column(static_cast<size_t>(rank), 1);
    column[0] = -1;
    parts = g.call("Reshape", {parts, g.ints(column)});
  }
  g.set_dx(0, Take(g, dy * parts));
}

// Rows that equal their segment's result have won; several share.
inline void extreme_rule(GradContext& g) {
  GradVar dy = g.dy();
  GradVar zero = g.scalar(0, dy.dtype()), one = g.scalar(1, dy.dtype());
  GradVar won = g.call("Equal", {g.in(0), Take(g, g.out())});
  GradVar counts = Reduce(g, "Sum", g.cast(won, dy.dtype()));
  GradVar share = dy / g.call("Maximum", {counts, one});
  g.set_dx(0, g.call("Select", {won, Take(g, share), zero}));
}

// A row's factor is the product of all others in its segment: y over the row
// itself, or, where that is the only 0, the product without it. (With two zeros
// it is 0; only its own derivative by the other zero is lost then.)
inline void prod_rule(GradContext& g) {
  GradVar dy = g.dy(), x = g.in(0);
  GradVar zero = g.scalar(0, dy.dtype()), one = g.scalar(1, dy.dtype());
  GradVar zeros = g.call("Equal", {x, zero});
  GradVar rest = g.call("Select", {zeros, one, x});
  GradVar counts = Reduce(g, "Sum", g.cast(zeros, dy.dtype()));
  GradVar alone = g.call("Equal", {counts, one});
  GradVar others = g.call("Select", {alone, Reduce(g, "Prod", rest), zero});
  GradVar made = Take(g, dy * Conjugate(g, g.out()));
  g.set_dx(0, g.call("Select", {zeros, Take(g, dy * Conjugate(g, others)),
                                made / Conjugate(g, rest)}));
}

}  // namespace sluice::segment_grad
