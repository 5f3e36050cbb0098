#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct SoftsignGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    C d = C(1) + (x < 0 ? -x : x);
    return dy / (d * d);
  }
};

}  // namespace

SL_OP(SoftsignGrad)
    .doc("The gradient of y = softsign(x): dy / (1 + |x|)^2.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // f'' = -2 f' (sign(x) - f), since 1 / (1 + |x|) is 1 - |f|.
      GradVar x = g.in(1);
      GradVar bend = g.call("Softsign", {x}) - g.call("Sign", {x});
      g.set_dx(1, g.call("SoftsignGrad", {g.dy() * g.in(0) * bend * 2.0, x}));
    })
    .elementwise(binary_block<SoftsignGradFn, FloatTypes>)
    .internal()
    .max_ulp(3)
    .reference([](double dy, double x) {
      return dy / ((1 + std::fabs(x)) * (1 + std::fabs(x)));
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false))
    .rejects(GradRejects("SoftsignGrad"));

}  // namespace sluice
