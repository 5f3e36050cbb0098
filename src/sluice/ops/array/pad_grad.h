// The gradient of Pad, axis by axis: gradients of the border are added to its
// source elements.
#pragma once

#include "sluice/kernels/pad_mode.h"
#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/array/cut_axis.h"

namespace sluice::pad_mode {

// dy from `begin` to `end` along an axis, as Python reads it.
inline GradVar CutOne(GradContext& g, GradVar dy, int axis, int64_t begin,
                      int64_t end) {
  auto n = static_cast<size_t>(axis);
  Ints first(n + 1, 0), last(n + 1, INT64_MAX);
  first[n] = begin;
  last[n] = end;
  return g.call("StridedSlice", {dy},
                cut_axis::Cuts(first, last, Ints(n + 1, 1)));
}

// The sources of the `count` positions of the border before (or after) x's
// axis. If the axis has no known `size`, a very large one is assumed, so that
// positions counted from its end can be recognized and corrected when the size
// is known.
inline GradVar Sources(GradContext& g, int axis, int64_t size, int64_t count,
                       bool before) {
  Mode mode = ModeOf(g.attrs());
  constexpr int64_t kFar = int64_t{1} << 60;
  int64_t n = size < 0 ? kFar : size;
  Ints sources;
  bool from_end = false;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = SourceOf(mode, before ? i - count : n + i, n);
    from_end = size < 0 && at > kFar / 2;
    sources.push_back(from_end ? at - kFar : at);
  }
  GradVar constant = g.ints(sources);
  return from_end ? constant + SizeOfAxis(g, g.in(0), axis) : constant;
}

inline void rule(GradContext& g) {
  const Ints& pads = g.attr<Ints>("paddings");
  bool folds = ModeOf(g.attrs()) != Mode::kConstant;
  GradVar dx = g.dy();
  for (size_t i = 0; 2 * i < pads.size(); ++i) {
    int64_t before = pads[2 * i], after = pads[2 * i + 1];
    if (before == 0 && after == 0) continue;
    int axis = static_cast<int>(i);
    GradVar whole = dx;
    dx = CutOne(g, whole, axis, before, after ? -after : INT64_MAX);
    auto fold = [&](int64_t count, bool first) {
      if (!folds || count == 0 || !dx) return;
      PartialShape x = g.in(0).shape();
      GradVar border = first ? CutOne(g, whole, axis, 0, before)
                             : CutOne(g, whole, axis, -after, INT64_MAX);
      GradVar at = Sources(g, axis, x.rank_known() ? x[axis] : kUnknownDim,
                           count, first);
      dx = g.call("IndexAdd", {dx, at, border}, {{"axis", axis}});
    };
    fold(before, true);
    fold(after, false);
  }
  g.set_dx(0, dx);
}

}  // namespace sluice::pad_mode
