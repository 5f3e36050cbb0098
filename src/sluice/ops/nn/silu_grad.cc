#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SiluGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C s = vmath::Sigmoid(x);
    return dy * MulAdd(x, s * (1 - s), s);
  }
};

}  // namespace

SL_OP(SiluGrad)
    .doc("The gradient of y = silu(x): dy s (1 + x (1 - s)), s = sigmoid(x).")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // f'' = s (1 - s) (2 + x (1 - 2 s)).
      GradVar s = g.call("Sigmoid", {g.in(1)});
      GradVar bend = 2.0 + g.in(1) * (1.0 - 2.0 * s);
      g.set_dx(1, g.call("SigmoidGrad", {g.dy() * g.in(0) * bend, s}));
    })
    .elementwise(binary_block<SiluGradFn, FloatTypes>)
    .internal()
    .tolerance(2e-06)
    .reference([](double dy, double x) {
      double s = 1 / (1 + std::exp(-x));
      return dy * s * (1 + x * (1 - s));
    })
    .samples(BinarySamples(-10, 10, /*specials=*/false))
    .rejects(GradRejects("SiluGrad"));

}  // namespace sluice
