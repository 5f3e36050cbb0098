#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct Relu6Fn {
  template <class C>
  static C Apply(C x) {
    C y = x < 0 ? C(0) : x;
    return y > 6 ? C(6) : y;
  }
};

struct Relu6GradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return x > 0 && x < 6 ? dy : C(0);
  }
};

}  // namespace

SL_OP_OF(Relu6, FloatFunction)
    .doc("x held between 0 and 6, elementwise; NaN stays NaN.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("Relu6Grad", {g.dy(), g.out()}));
    })
    .elementwise(unary_block<Relu6Fn>)
    .reference([](double x) { return x < 0   ? 0.0
                                     : x > 6 ? 6.0
                                             : x; })
    .samples(UnarySamples(-8, 8));

SL_OP_OF(Relu6Grad, ActivationGrad)
    .doc("The gradient of y = relu6(x): dy where 0 < x < 6, else 0.")
    // f is straight but for its bends
    .grad(SetGradByDy)
    .elementwise(binary_block<Relu6GradFn, FloatTypes>)
    .reference([](double dy, double x) { return x > 0 && x < 6 ? dy : 0.0; })
    .samples(BinarySamples(-8, 8, /*specials=*/false));

}  // namespace sluice
