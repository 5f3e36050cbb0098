#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct DivNoNanFn {
  template <class C>
  static C Apply(C a, C b) {
    C y = a / b;
    return b == 0 ? C(0) : y;
  }
};

}  // namespace

SL_OP_OF(DivNoNan, BinaryFunction)
    .doc("a / b, elementwise with broadcasting; 0 where b is 0, whatever a is.")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      GradVar part = g.call("DivNoNan", {g.dy(), g.in(1)});
      g.set_dx(0, part);
      if (g.wants(1)) g.set_dx(1, -g.call("MulNoNan", {part, g.out()}));
    })
    .elementwise(binary_block<DivNoNanFn, FloatTypes>)
    .reference([](double a, double b) { return b == 0 ? 0 : a / b; })
    .samples(BinarySamples());

}  // namespace sluice
