#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SiluFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    C s = vmath::Sigmoid(x);
    return s == 0 ? C(0) : x * s;  // also at -infinity
  }
};

}  // namespace

SL_OP(Silu)
    .doc("x times the sigmoid of x, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SiluGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<SiluFn>)
    .max_ulp(4)
    .reference([](double x) { return x < -800 ? 0.0 : x / (1 + std::exp(-x)); })
    .samples(UnarySamples(-20, 20))
    .rejects(UnaryRejects("Silu"));

}  // namespace sluice
