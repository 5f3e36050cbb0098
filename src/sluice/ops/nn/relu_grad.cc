#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct ReluGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return x > 0 ? dy : C(0);
  }
};

}  // namespace

SL_OP(ReluGrad)
    .doc("The gradient of y = relu(x): dy where x (or y) is positive, else 0.")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReluGrad", {g.dy(), g.in(1)}));
    })
    .elementwise(binary_block<ReluGradFn, FloatTypes>)
    .internal()
    .reference([](double dy, double x) { return x > 0 ? dy : 0.0; })
    .samples(BinarySamples(-5, 5, /*specials=*/false))
    .rejects(GradRejects("ReluGrad"));

}  // namespace sluice
