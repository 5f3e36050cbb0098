#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardSigmoidFn {
  template <class C>
  static C Apply(C x) {
    C y = MulAdd(x, C(1.0 / 6), C(0.5));
    y = y < 0 ? C(0) : y;
    return y > 1 ? C(1) : y;
  }
};

struct HardSigmoidGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return x > -3 && x < 3 ? dy * C(1.0 / 6) : C(0);
  }
};

}  // namespace

SL_OP_OF(HardSigmoid, FloatFunction)
    .doc("x / 6 + 1 / 2 held between 0 and 1, elementwise; NaN stays NaN.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("HardSigmoidGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(unary_block<HardSigmoidFn>)
    .tolerance(2e-07)
    .reference([](double x) {
      double y = x / 6 + 0.5;
      return y < 0 ? 0.0 : y > 1 ? 1.0 : y;
    })
    .samples(UnarySamples(-5, 5));

SL_OP_OF(HardSigmoidGrad, ActivationGrad)
    .doc(
        "The gradient of y = hard_sigmoid(x): dy / 6 where -3 < x < 3, else 0.")
    // f is straight but for its bends
    .grad(SetGradByDy)
    .elementwise(binary_block<HardSigmoidGradFn, FloatTypes>)
    .max_ulp(1)
    .reference([](double dy, double x) {
      return x > -3 && x < 3 ? dy / 6 : 0.0;
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false));

}  // namespace sluice
