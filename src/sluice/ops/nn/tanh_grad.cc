#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct TanhGradFn {
  template <class C>
  static C Apply(C dy, C y) {
    return dy * MulAdd(-y, y, C(1));
  }
};

}  // namespace

SL_OP(TanhGrad)
    .doc("The gradient of y = tanh(x), from y: dy (1 - y^2).")
    .input("dy: T")
    .input("y: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      g.set_dx(1, g.dy() * g.in(0) * g.in(1) * -2.0);
    })
    .elementwise(binary_block<TanhGradFn, FloatTypes>)
    .internal()
    .tolerance(3e-07)
    .reference([](double dy, double y) { return dy * (1 - y * y); })
    .samples(BinarySamples(-1, 1, /*specials=*/false))
    .rejects(GradRejects("TanhGrad", "y"));

}  // namespace sluice
