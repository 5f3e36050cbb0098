#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SoftsignFn {
  template <class C>
  static C Apply(C x) {
    return x / (C(1) + (x < 0 ? -x : x));
  }
};

}  // namespace

SL_OP(Softsign)
    .doc("x / (1 + |x|), elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SoftsignGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(unary_block<SoftsignFn>)
    .max_ulp(2)
    .reference([](double x) { return x / (1 + std::fabs(x)); })
    .samples(UnarySamples(-5, 5, /*specials=*/false))
    .rejects(UnaryRejects("Softsign"));

}  // namespace sluice
