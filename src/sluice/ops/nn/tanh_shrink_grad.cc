#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct TanhShrinkGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C t = vmath::Tanh(x);
    return dy * (t * t);
  }
};

}  // namespace

SL_OP(TanhShrinkGrad)
    .doc("The gradient of y = tanh_shrink(x): dy tanh(x)^2.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      GradVar t = g.call("Tanh", {g.in(1)});
      g.set_dx(1, g.call("TanhGrad", {g.dy() * g.in(0) * t * 2.0, t}));
    })
    .elementwise(binary_block<TanhShrinkGradFn, FloatTypes>)
    .internal()
    .max_ulp(7)
    .reference([](double dy, double x) {
      return dy * std::tanh(x) * std::tanh(x);
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false))
    .rejects(GradRejects("TanhShrinkGrad"));

}  // namespace sluice
