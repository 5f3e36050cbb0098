#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardSwishFn {
  template <class C>
  static C Apply(C x) {
    C g = x + 3;
    g = g < 0 ? C(0) : g;
    g = g > 6 ? C(6) : g;
    C y = x * (g * C(1.0 / 6));
    return g == 0 ? C(0) : y;  // also at -infinity
  }
};

}  // namespace

SL_OP(HardSwish)
    .doc("x times (x + 3 held between 0 and 6) / 6, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("HardSwishGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(unary_block<HardSwishFn>)
    .tolerance(3e-07)
    .reference([](double x) {
      double g = x < -3 ? 0 : x > 3 ? 6 : x + 3;
      return g == 0 ? 0.0 : x * g / 6;
    })
    .samples(UnarySamples(-5, 5))
    .rejects(UnaryRejects("HardSwish"));

}  // namespace sluice
