#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SeluGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    constexpr C kScale = C(1.0507009873554804934193);
    constexpr C kAlpha = C(1.7580993408473768599402);  // with the scale
    return dy * (x > 0 ? kScale : kAlpha * vmath::Exp(x));
  }
};

}  // namespace

SL_OP(SeluGrad)
    .doc("The gradient of y = selu(x).")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar slope = g.call("SeluGrad", {g.dy() * g.in(0), g.in(1)});
      g.set_dx(1, WhereNotPositive(g, slope));
    })
    .elementwise(binary_block<SeluGradFn, FloatTypes>)
    .internal()
    .max_ulp(5)
    .reference([](double dy, double x) {
      double scale = 1.0507009873554804934193, alpha = 1.6732632423543772848170;
      return dy * scale * (x > 0 ? 1 : alpha * std::exp(x));
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false))
    .rejects(GradRejects("SeluGrad"));

}  // namespace sluice
