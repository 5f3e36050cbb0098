#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/scan_grad.h"

namespace sluice {
namespace {

struct LogCumSumExpOp {
  template <class C>
  static C Start() {
    return -std::numeric_limits<C>::infinity();
  }
  template <class C>
  static C Apply(C a, C x) {
    C high = a > x ? a : x, low = a > x ? x : a;
    // Equal infinities have no difference.
    C gap = low == high ? C(0) : low - high;
    C y = high + vmath::Log1p(vmath::Exp(gap));
    return high == -std::numeric_limits<C>::infinity() && a == a ? high : y;
  }
};

// With p = exp(x - y), the share of the last element in each sum, the weight of
// y[j] in a later y[i] is the product of all 1 - p between them: nothing
// overflows.
void Gradient(GradContext& g) {
  bool exclusive = g.attr<bool>("exclusive");
  GradVar x = g.in(0), y = g.out();
  if (exclusive) {
    Attrs inclusive = g.attrs();
    inclusive.set("exclusive", false);
    y = g.call("LogCumSumExp", {x}, inclusive);
  }
  // exp(-inf) is no part of anything, and -inf - -inf no number.
  GradVar none = g.scalar(-HUGE_VAL, x.dtype());
  GradVar absent = g.call("Equal", {x, none});
  GradVar p = g.call("Exp", {g.call("Select", {absent, none, x - y})});
  g.set_dx(0, p * ScanBack(g, 1.0 - p, g.dy(), exclusive));
}

}  // namespace

SL_OP(LogCumSumExp)
    .doc(
        "log of the running sums of exp(x) along an axis, without overflow on "
        "the way.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("axis", 0, "The axis to go along.")
    .attr("exclusive", false, "Leave out the element itself.")
    .attr("reverse", false, "Start from the end.")
    .shape(scan_shape)
    .grad(Gradient)
    .batch(batch_rules::along_axis)
    .cpu(ScanKernel<LogCumSumExpOp, true, FloatTypes>::Launch)
    .in_place()
    .tolerance(1e-5)
    .reference(ScanReference([](const std::vector<double>& v) {
      double high = -HUGE_VAL, sum = 0;
      for (double x : v) high = std::fmax(high, x);
      if (std::isinf(high)) return high;
      for (double x : v) sum += std::exp(x - high);
      return high + std::log(sum);
    }))
    .samples(ScanSamples(true, -30, 30))
    .rejects(ScanRejects("LogCumSumExp"));
SL_AUTOCAST(LogCumSumExp, kF32);

}  // namespace sluice
