#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SoftsignFn {
  template <class C>
  static C Apply(C x) {
    return x / (C(1) + (x < 0 ? -x : x));
  }
};

struct SoftsignGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C d = C(1) + (x < 0 ? -x : x);
    return dy / (d * d);
  }
};

}  // namespace

SL_OP_OF(Softsign, FloatFunction)
    .doc("x / (1 + |x|), elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SoftsignGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(unary_block<SoftsignFn>)
    .max_ulp(2)
    .reference([](double x) { return x / (1 + std::fabs(x)); })
    .samples(UnarySamples(-5, 5, /*specials=*/false));

SL_OP_OF(SoftsignGrad, ActivationGrad)
    .doc("The gradient of y = softsign(x): dy / (1 + |x|)^2.")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // f'' = -2 f' (sign(x) - f), since 1 / (1 + |x|) is 1 - |f|.
      GradVar x = g.in(1);
      GradVar bend = g.call("Softsign", {x}) - g.call("Sign", {x});
      g.set_dx(1, g.call("SoftsignGrad", {g.dy() * g.in(0) * bend * 2.0, x}));
    })
    .elementwise(binary_block<SoftsignGradFn, FloatTypes>)
    .max_ulp(3)
    .reference([](double dy, double x) {
      return dy / ((1 + std::fabs(x)) * (1 + std::fabs(x)));
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false));

}  // namespace sluice
