#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SoftplusFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Softplus(x);
  }
};

struct SoftplusGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return dy * vmath::Sigmoid(x);
  }
};

}  // namespace

SL_OP_OF(Softplus, FloatFunction)
    .doc("log(1 + exp(x)), elementwise, without overflow.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SoftplusGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<SoftplusFn>)
    .max_ulp(3)
    .reference([](double x) {
      return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
    })
    .samples(UnarySamples(-30, 30));
SL_AUTOCAST(Softplus, kF32);

SL_OP_OF(SoftplusGrad, ActivationGrad)
    .doc("The gradient of y = softplus(x): dy sigmoid(x).")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar s = g.call("Sigmoid", {g.in(1)});
      g.set_dx(1, g.call("SigmoidGrad", {g.dy() * g.in(0), s}));
    })
    .elementwise(binary_block<SoftplusGradFn, FloatTypes>)
    .max_ulp(4)
    .reference([](double dy, double x) { return dy / (1 + std::exp(-x)); })
    .samples(BinarySamples(-20, 20, /*specials=*/false));

}  // namespace sluice
