#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct SquaredDifferenceFn {
  template <class C>
  static C Apply(C a, C b) {
    auto d = ToWrap(a) - ToWrap(b);
    return Wrap<C>(d * d);
  }
};

}  // namespace

SL_OP_OF(SquaredDifference, BinaryFunction)
    .doc("(a - b)^2, elementwise with broadcasting; integers wrap.")
    .types("T", kReals)
    .grad([](GradContext& g) {
      GradVar d = 2.0 * (g.dy() * (g.in(0) - g.in(1)));
      g.set_dx(0, d);
      if (g.wants(1)) g.set_dx(1, -d);
    })
    .elementwise(binary_block<SquaredDifferenceFn>)
    .commutative()
    .max_ulp(2)
    .reference([](double a, double b) { return (a - b) * (a - b); })
    .samples(BinarySamples());
SL_AUTOCAST(SquaredDifference, kF32);

}  // namespace sluice
