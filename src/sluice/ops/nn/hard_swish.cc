#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardSwishFn {
  template <class C>
  static C Apply(C x) {
    C g = x + 3;
    g = g < 0 ? C(0) : g;
    g = g > 6 ? C(6) : g;
    C y = x * (g * C(1.0 / 6));
    return g == 0 ? C(0) : y;  // also at -infinity
  }
};

struct HardSwishGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C y = dy * MulAdd(x, C(1.0 / 3), C(0.5));
    y = x <= -3 ? C(0) : y;
    return x >= 3 ? dy : y;
  }
};

}  // namespace

SL_OP_OF(HardSwish, FloatFunction)
    .doc("x times (x + 3 held between 0 and 6) / 6, elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("HardSwishGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(unary_block<HardSwishFn>)
    .tolerance(3e-07)
    .reference([](double x) {
      double g = x < -3 ? 0 : x > 3 ? 6 : x + 3;
      return g == 0 ? 0.0 : x * g / 6;
    })
    .samples(UnarySamples(-5, 5));

SL_OP_OF(HardSwishGrad, ActivationGrad)
    .doc(
        "The gradient of y = hard_swish(x): dy (x / 3 + 1 / 2) where -3 < x < "
        "3, dy above, 0 below.")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // The slope rises by 1 / 3 where hard_sigmoid's is 1 / 6.
      g.set_dx(1, g.call("HardSigmoidGrad", {g.dy() * g.in(0) * 2.0, g.in(1)}));
    })
    .elementwise(binary_block<HardSwishGradFn, FloatTypes>)
    .tolerance(3e-07)
    .reference([](double dy, double x) {
      return x <= -3 ? 0.0 : x >= 3 ? dy : dy * (x / 3 + 0.5);
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false));

}  // namespace sluice
