// Scans along an axis: what their records share, and their gradients, by
// LinearScan.
#pragma once

#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"

namespace sluice {

// For an op with the attributes axis and reverse: for every j the sum over all
// i from j on, in scan order, of dy[i] times the factors a between them. Those
// are a[j+1], ..., a[i], or for exclusive scans, where i starts behind j,
// a[j+1], ..., a[i-1].
inline GradVar ScanBack(GradContext& g, GradVar a, GradVar dy, bool exclusive) {
  Attrs attrs = {{"axis", g.attr<int64_t>("axis")},
                 {"reverse", !g.attr<bool>("reverse")},
                 {"mode", exclusive ? "exclusive" : "lagged"}};
  return g.call("LinearScan", {a, dy}, attrs);
}

// CumMax and CumMin: dy goes to the selected element, the last one on ties.
inline void CumExtremeGrad(GradContext& g) {
  GradVar x = g.in(0), stays = g.call("NotEqual", {x, g.out()});
  GradVar flow = ScanBack(g, g.cast(stays, x.dtype()), g.dy(), false);
  GradVar zero = g.scalar(0, x.dtype());
  g.set_dx(0, g.call("Select", {stays, zero, flow}));
}

// The op names its types.
inline OpDefinition& Scan(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: T")
      .attr("axis", 0, "The axis to go along.")
      .shape(scan_shape)
      .batch(batch_rules::along_axis)
      .cpu_workspace(scan_workspace)
      .in_place()
      .rejects(ScanRejects(name));
}

}  // namespace sluice
