#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct Relu6GradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return x > 0 && x < 6 ? dy : C(0);
  }
};

}  // namespace

SL_OP(Relu6Grad)
    .doc("The gradient of y = relu6(x): dy where 0 < x < 6, else 0.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad(SetGradByDy)  // f is straight but for its bends
    .elementwise(binary_block<Relu6GradFn, FloatTypes>)
    .internal()
    .reference([](double dy, double x) { return x > 0 && x < 6 ? dy : 0.0; })
    .samples(BinarySamples(-8, 8, /*specials=*/false))
    .rejects(GradRejects("Relu6Grad"));

}  // namespace sluice
