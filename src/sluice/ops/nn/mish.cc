#include "sluice/ops/elementwise.h"
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

struct MishGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    // With t = tanh(log(1 + e)): t + x (1 - t^2) e / (1 + e).
    C c = x > 20 ? C(20) : x;
    C e = vmath::Exp(c);
    C n = e * (e + 2), d = C(1) / (n + 2);
    C slope = 4 * (n + 1) * d * d * (e / (1 + e));
    return dy * MulAdd(c, slope, n * d);
  }
};

}  // namespace

SL_OP_OF(Mish, FloatFunction)
    .doc("x tanh(softplus(x)), elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("MishGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<MishFn>)
    .max_ulp(6)
    .reference([](double x) {
      if (x < -700) return 0.0;
      return x * std::tanh(std::log1p(std::exp(x)));
    })
    .samples(UnarySamples(-20, 25));

SL_OP_OF(MishGrad, ActivationGrad)
    .doc("The gradient of y = mish(x).")
    .grad([](GradContext& g) {
      SetGradByDy(g);
      if (!g.wants(1)) return;
      // f = x t with t = tanh(softplus(x)): f'' = 2 t' + x t'', where t' =
      // (1 - t^2) s and t'' = t' (1 - s - 2 t s). Beyond 20 all of it is 0.
      GradVar x = g.call("HardTanh", {g.in(1)}, {{"min", -1e4}, {"max", 20.0}});
      GradVar s = g.call("Sigmoid", {x});
      GradVar t = g.call("Tanh", {g.call("Softplus", {x})});
      GradVar bend = 2.0 + x * (1.0 - s - 2.0 * t * s);
      g.set_dx(1, g.call("TanhGrad", {g.dy() * g.in(0) * s * bend, t}));
    })
    .elementwise(binary_block<MishGradFn, FloatTypes>)
    .tolerance(3e-06)
    .reference([](double dy, double x) {
      double t = std::tanh(std::log1p(std::exp(x)));
      return dy * (t + x * (1 - t * t) / (1 + std::exp(-x)));
    })
    .samples(BinarySamples(-10, 10, /*specials=*/false));

}  // namespace sluice
