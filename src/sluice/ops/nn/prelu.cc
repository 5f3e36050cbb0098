#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct PreluFn {
  template <class C>
  static C Apply(C a, C b) {
    return a < 0 ? b * a : a;
  }
};

}  // namespace

SL_OP(Prelu)
    .doc(
        "a where positive, else b a, elementwise: relu with slopes that can be "
        "learnt. The slopes b broadcast; one per channel of images is of "
        "shape [channels,1,1].")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      if (g.wants(0)) {
        g.set_dx(0, g.call("PreluGrad", {g.dy(), g.in(0), g.in(1)}));
      }
      if (!g.wants(1)) return;
      GradVar zero = g.scalar(0, g.dy().dtype());
      GradVar negative = g.call("Less", {g.in(0), zero});
      g.set_dx(1, g.call("Select", {negative, g.dy() * g.in(0), zero}));
    })
    .elementwise(binary_block<PreluFn, FloatTypes>)
    .max_ulp(1)
    .reference([](double a, double b) { return a < 0 ? b * a : a; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("Prelu"));

}  // namespace sluice
