#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SiluFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    C s = vmath::Sigmoid(x);
    return s == 0 ? C(0) : x * s;  // also at -infinity
  }
};

struct SiluGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C s = vmath::Sigmoid(x);
    return dy * MulAdd(x, s * (1 - s), s);
  }
};

}  // namespace

SL_OP_OF(Silu, FloatFunction)
    .doc("x times the sigmoid of x, elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SiluGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<SiluFn>)
    .max_ulp(4)
    .reference([](double x) { return x < -800 ? 0.0 : x / (1 + std::exp(-x)); })
    .samples(UnarySamples(-20, 20));

SL_OP_OF(SiluGrad, ActivationGrad)
    .doc("The gradient of y = silu(x): dy s (1 + x (1 - s)), s = sigmoid(x).")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // f'' = s (1 - s) (2 + x (1 - 2 s)).
      GradVar s = g.call("Sigmoid", {g.in(1)});
      GradVar bend = 2.0 + g.in(1) * (1.0 - 2.0 * s);
      g.set_dx(1, g.call("SigmoidGrad", {g.dy() * g.in(0) * bend, s}));
    })
    .elementwise(binary_block<SiluGradFn, FloatTypes>)
    .tolerance(2e-06)
    .reference([](double dy, double x) {
      double s = 1 / (1 + std::exp(-x));
      return dy * s * (1 + x * (1 - s));
    })
    .samples(BinarySamples(-10, 10, /*specials=*/false));

}  // namespace sluice
