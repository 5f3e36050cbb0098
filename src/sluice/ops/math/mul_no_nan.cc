#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct MulNoNanFn {
  template <class C>
  static C Apply(C a, C b) {
    C y = a * b;
    return a == 0 ? C(0) : y;
  }
};

}  // namespace

SL_OP_OF(MulNoNan, BinaryFunction)
    .doc(
        "a * b, elementwise with broadcasting; 0 where a is 0, even if b is "
        "infinite or NaN there.")
    .types("T", kFloats)
    .elementwise(binary_block<MulNoNanFn, FloatTypes>)
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.times_dy(g.in(1)));
      if (g.wants(1)) g.set_dx(1, g.dy() * g.in(0));
    })
    .reference([](double a, double b) { return a == 0 ? 0 : a * b; })
    .samples(BinarySamples());

}  // namespace sluice
