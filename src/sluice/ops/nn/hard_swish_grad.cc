#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardSwishGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C y = dy * MulAdd(x, C(1.0 / 3), C(0.5));
    y = x < -3 ? C(0) : y;
    return x > 3 ? dy : y;
  }
};

}  // namespace

SL_OP(HardSwishGrad)
    .doc(
        "The gradient of y = hard_swish(x): dy (x / 3 + 1 / 2) where -3 < x < "
        "3, dy above, 0 below.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // The slope rises by 1 / 3 where hard_sigmoid's is 1 / 6.
      g.set_dx(1, g.call("HardSigmoidGrad", {g.dy() * g.in(0) * 2.0, g.in(1)}));
    })
    .elementwise(binary_block<HardSwishGradFn, FloatTypes>)
    .internal()
    .tolerance(3e-07)
    .reference([](double dy, double x) {
      return x < -3 ? 0.0 : x > 3 ? dy : dy * (x / 3 + 0.5);
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false))
    .rejects(GradRejects("HardSwishGrad"));

}  // namespace sluice
