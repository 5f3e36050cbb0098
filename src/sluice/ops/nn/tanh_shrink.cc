#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct TanhShrinkFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return x - vmath::Tanh(x);
  }
};

}  // namespace

SL_OP(TanhShrink)
    .doc("x - tanh(x), elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("TanhShrinkGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<TanhShrinkFn>)
    .tolerance(3e-07)
    .reference([](double x) { return x - std::tanh(x); })
    .samples(UnarySamples(-5, 5))
    .rejects(UnaryRejects("TanhShrink"));

}  // namespace sluice
