#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SeluFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    constexpr C kScale = C(1.0507009873554804934193);
    constexpr C kAlpha = C(1.7580993408473768599402);  // with the scale
    return x > 0 ? kScale * x : kAlpha * vmath::Expm1(x);
  }
};

struct SeluGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    constexpr C kScale = C(1.0507009873554804934193);
    constexpr C kAlpha = C(1.7580993408473768599402);  // with the scale
    return dy * (x > 0 ? kScale : kAlpha * vmath::Exp(x));
  }
};

}  // namespace

SL_OP_OF(Selu, FloatFunction)
    .doc(
        "1.0507 times (x where positive, else 1.67326 (exp(x) - 1)), "
        "elementwise: the scaled exponential unit of self-normalising "
        "networks.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SeluGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<SeluFn>)
    .max_ulp(4)
    .reference([](double x) {
      double scale = 1.0507009873554804934193, alpha = 1.6732632423543772848170;
      return scale * (x > 0 ? x : alpha * std::expm1(x));
    })
    .samples(UnarySamples(-5, 5));

SL_OP_OF(SeluGrad, ActivationGrad)
    .doc("The gradient of y = selu(x).")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar slope = g.call("SeluGrad", {g.dy() * g.in(0), g.in(1)});
      g.set_dx(1, WhereNotPositive(g, slope));
    })
    .elementwise(binary_block<SeluGradFn, FloatTypes>)
    .max_ulp(5)
    .reference([](double dy, double x) {
      double scale = 1.0507009873554804934193, alpha = 1.6732632423543772848170;
      return dy * scale * (x > 0 ? 1 : alpha * std::exp(x));
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false));

}  // namespace sluice
