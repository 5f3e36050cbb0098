#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct TanhShrinkFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return x - vmath::Tanh(x);
  }
};

struct TanhShrinkGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C t = vmath::Tanh(x);
    return dy * (t * t);
  }
};

}  // namespace

SL_OP_OF(TanhShrink, FloatFunction)
    .doc("x - tanh(x), elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("TanhShrinkGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<TanhShrinkFn>)
    .tolerance(3e-07)
    .reference([](double x) { return x - std::tanh(x); })
    .samples(UnarySamples(-5, 5));

SL_OP_OF(TanhShrinkGrad, ActivationGrad)
    .doc("The gradient of y = tanh_shrink(x): dy tanh(x)^2.")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar t = g.call("Tanh", {g.in(1)});
      g.set_dx(1, g.call("TanhGrad", {g.dy() * g.in(0) * t * 2.0, t}));
    })
    .elementwise(binary_block<TanhShrinkGradFn, FloatTypes>)
    .max_ulp(7)
    .reference([](double dy, double x) {
      return dy * std::tanh(x) * std::tanh(x);
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false));

}  // namespace sluice
