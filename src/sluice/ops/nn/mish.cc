#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct MishFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    // tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2), and 1 from 20 on.
    C e = vmath::Exp(x > 20 ? C(20) : x);
    C n = e * (e + 2);
    C y = x * (n / (n + 2));
    y = n == 0 ? C(0) : y;  // also at -infinity
    return x > 20 ? x : y;
  }
};

}  // namespace

SL_OP(Mish)
    .doc("x tanh(softplus(x)), elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("MishGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<MishFn>)
    .max_ulp(6)
    .reference([](double x) {
      if (x < -700) return 0.0;
      return x * std::tanh(std::log1p(std::exp(x)));
    })
    .samples(UnarySamples(-20, 25))
    .rejects(UnaryRejects("Mish"));

}  // namespace sluice
