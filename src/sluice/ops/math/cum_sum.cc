#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/scan_grad.h"

namespace sluice {
namespace {

struct CumSumOp {
  static constexpr bool kAssociative = true, kWraps = true;
  template <class C>
  static C Start() {
    return 0;
  }
  template <class C>
  static C Apply(C a, C x) {
    if constexpr (std::is_integral_v<C>) {
      return Wrap<C>(ToWrap(a) + ToWrap(x));
    } else {
      return a + x;
    }
  }
};

}  // namespace

SL_OP_OF(CumSum, Scan)
    .doc("Running sums along an axis; integers wrap.")
    .function("cumsum")
    .types("T", kReals)
    .attr("exclusive", false, "Leave out the element itself.")
    .attr("reverse", false, "Start from the end.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("CumSum", {g.dy()},
                         {{"axis", g.attr<int64_t>("axis")},
                          {"exclusive", g.attr<bool>("exclusive")},
                          {"reverse", !g.attr<bool>("reverse")}}));
    })
    .cpu(ScanKernel<CumSumOp, true, RealTypes>::Launch)
    .fails_for_sizes_only()
    .tolerance(1e-5)
    .reference(ScanReference([](const std::vector<double>& v) {
      double sum = 0;
      for (double x : v) sum += x;
      return sum;
    }))
    .samples(ScanSamples(true));
SL_AUTOCAST(CumSum, kF32);

}  // namespace sluice
