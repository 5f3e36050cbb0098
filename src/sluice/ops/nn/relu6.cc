#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct Relu6Fn {
  template <class C>
  static C Apply(C x) {
    C y = x < 0 ? C(0) : x;
    return y > 6 ? C(6) : y;
  }
};

}  // namespace

SL_OP(Relu6)
    .doc("x held between 0 and 6, elementwise; NaN stays NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("Relu6Grad", {g.dy(), g.out()}));
    })
    .elementwise(unary_block<Relu6Fn>)
    .reference([](double x) { return x < 0   ? 0.0
                                     : x > 6 ? 6.0
                                             : x; })
    .samples(UnarySamples(-8, 8))
    .rejects(UnaryRejects("Relu6"));

}  // namespace sluice
