#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct HardSigmoidGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return x > -3 && x < 3 ? dy * C(1.0 / 6) : C(0);
  }
};

}  // namespace

SL_OP(HardSigmoidGrad)
    .doc(
        "The gradient of y = hard_sigmoid(x): dy / 6 where -3 < x < 3, else 0.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad(SetGradByDy)  // f is straight but for its bends
    .elementwise(binary_block<HardSigmoidGradFn, FloatTypes>)
    .internal()
    .max_ulp(1)
    .reference([](double dy, double x) {
      return x > -3 && x < 3 ? dy / 6 : 0.0;
    })
    .samples(BinarySamples(-5, 5, /*specials=*/false))
    .rejects(GradRejects("HardSigmoidGrad"));

}  // namespace sluice
