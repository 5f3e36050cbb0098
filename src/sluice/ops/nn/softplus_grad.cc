#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SoftplusGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return dy * vmath::Sigmoid(x);
  }
};

}  // namespace

SL_OP(SoftplusGrad)
    .doc("The gradient of y = softplus(x): dy sigmoid(x).")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar s = g.call("Sigmoid", {g.in(1)});
      g.set_dx(1, g.call("SigmoidGrad", {g.dy() * g.in(0), s}));
    })
    .elementwise(binary_block<SoftplusGradFn, FloatTypes>)
    .internal()
    .max_ulp(4)
    .reference([](double dy, double x) { return dy / (1 + std::exp(-x)); })
    .samples(BinarySamples(-20, 20, /*specials=*/false))
    .rejects(GradRejects("SoftplusGrad"));

}  // namespace sluice
