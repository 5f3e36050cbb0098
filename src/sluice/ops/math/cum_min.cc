#include <limits>

#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/scan_grad.h"

namespace sluice {
namespace {

struct CumMinOp {
  static constexpr bool kAssociative = true;
  template <class C>
  static C Start() {
    using Limits = std::numeric_limits<C>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  // Also on vectors, whose comparisons are vectors.
  template <class C>
  static C Apply(C a, C x) {
    return ((x < a) | (x != x)) ? x : a;
  }
};

}  // namespace

SL_OP(CumMin)
    .doc(
        "The smallest element so far along an axis; NaN from the first NaN on.")
    .input("x: T")
    .output("y: T")
    .types("T", kReals)
    .attr("axis", 0, "The axis to go along.")
    .attr("reverse", false, "Start from the end.")
    .shape(scan_shape)
    .grad(CumExtremeGrad)
    .batch(batch_rules::along_axis)
    .cpu(ScanKernel<CumMinOp, false, RealTypes>::Launch)
    .cpu_workspace(scan_workspace)
    .in_place()
    .reference(ScanReference([](const std::vector<double>& v) {
      double best = v[0];
      for (double x : v) best = x < best || x != x ? x : best;
      return best;
    }))
    .samples(ScanSamples(false))
    .rejects(ScanRejects("CumMin"));

}  // namespace sluice
