#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct CopySignFn {
  template <class C>
  static C Apply(C a, C b) {
    return std::copysign(a, b);
  }
};

}  // namespace

SL_OP_OF(CopySign, BinaryFunction)
    .doc("|a| with the sign of b, elementwise with broadcasting.")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      if (!g.wants(0)) return;  // b moves the result by jumps alone
      GradVar one = g.scalar(1, g.in(0).dtype());
      GradVar sign = g.call("CopySign", {one, g.in(1)});
      g.set_dx(0, g.dy() * sign * g.call("Sign", {g.in(0)}));
    })
    .elementwise(binary_block<CopySignFn, FloatTypes>)
    .reference([](double a, double b) { return std::copysign(a, b); })
    .samples(BinarySamples());

}  // namespace sluice
