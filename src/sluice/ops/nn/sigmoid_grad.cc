#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SigmoidGradFn {
  template <class C>
  static C Apply(C dy, C y) {
    return dy * (y * (1 - y));
  }
};

}  // namespace

SL_OP(SigmoidGrad)
    .doc("The gradient of y = sigmoid(x), from y: dy y (1 - y).")
    .input("dy: T")
    .input("y: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      g.set_dx(1, g.dy() * g.in(0) * (1.0 - 2.0 * g.in(1)));
    })
    .elementwise(binary_block<SigmoidGradFn, FloatTypes>)
    .internal()
    .max_ulp(3)
    .reference([](double dy, double y) { return dy * y * (1 - y); })
    .samples(BinarySamples(0, 1, /*specials=*/false))
    .rejects(GradRejects("SigmoidGrad", "y"));

}  // namespace sluice
