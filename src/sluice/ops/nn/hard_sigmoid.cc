#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardSigmoidFn {
  template <class C>
  static C Apply(C x) {
    C y = MulAdd(x, C(1.0 / 6), C(0.5));
    y = y < 0 ? C(0) : y;
    return y > 1 ? C(1) : y;
  }
};

}  // namespace

SL_OP(HardSigmoid)
    .doc("x / 6 + 1 / 2 held between 0 and 1, elementwise; NaN stays NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("HardSigmoidGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(unary_block<HardSigmoidFn>)
    .tolerance(2e-07)
    .reference([](double x) {
      double y = x / 6 + 0.5;
      return y < 0 ? 0.0 : y > 1 ? 1.0 : y;
    })
    .samples(UnarySamples(-5, 5))
    .rejects(UnaryRejects("HardSigmoid"));

}  // namespace sluice
