#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/scan_grad.h"

namespace sluice {
namespace {

struct CumProdOp {
  static constexpr bool kAssociative = true, kWraps = true;
  template <class C>
  static C Start() {
    return 1;
  }
  template <class C>
  static C Apply(C a, C x) {
    if constexpr (std::is_integral_v<C>) {
      return Wrap<C>(ToWrap(a) * ToWrap(x));
    } else {
      return a * x;
    }
  }
};

std::vector<Sample> Samples() {
  std::vector<Sample> samples = ScanSamples(true, -1, 1);
  // Gradients that division cannot compute.
  Array zeros = Array::Vector<float>({2, 0, 3, 0, 0.5f, 4});
  for (bool exclusive : {false, true}) {
    samples.push_back({.in = {zeros}, .attrs = {{"exclusive", exclusive}}});
  }
  return samples;
}

}  // namespace

SL_OP_OF(CumProd, Scan)
    .doc("Running products along an axis; integers wrap.")
    .function("cumprod")
    .types("T", kReals)
    .attr("exclusive", false, "Leave out the element itself.")
    .attr("reverse", false, "Start from the end.")
    .grad([](GradContext& g) {
      // The product before x[j], and behind it the products up to each dy[i].
      bool exclusive = g.attr<bool>("exclusive");
      Attrs before = g.attrs();
      before.set("exclusive", true);
      GradVar first =
          exclusive ? g.out() : g.call("CumProd", {g.in(0)}, before);
      g.set_dx(0, first * ScanBack(g, g.in(0), g.dy(), exclusive));
    })
    .cpu(ScanKernel<CumProdOp, true, RealTypes>::Launch)
    .tolerance(1e-5)
    .reference(ScanReference([](const std::vector<double>& v) {
      double product = 1;
      for (double x : v) product *= x;
      return product;
    }))
    .samples(Samples());
SL_AUTOCAST(CumProd, kF32);

}  // namespace sluice
