#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

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

SL_OP(MishGrad)
    .doc("The gradient of y = mish(x).")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .elementwise(binary_block<MishGradFn, FloatTypes>)
    .tolerance(3e-06)
    .reference([](double dy, double x) {
      double t = std::tanh(std::log1p(std::exp(x)));
      return dy * (t + x * (1 - t * t) / (1 + std::exp(-x)));
    })
    .samples(BinarySamples(-10, 10, /*specials=*/false))
    .rejects(GradRejects("MishGrad"));

}  // namespace sluice
