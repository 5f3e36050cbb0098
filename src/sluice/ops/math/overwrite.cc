#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct OverwriteFn {
  template <class C>
  static C Apply(C, C b) {
    return b;
  }
};

}  // namespace

SL_OP_OF(Overwrite, BinaryFunction)
    .doc(
        "b, elementwise with broadcasting, in the shape of both: what writing "
        "b over a gives.")
    .types("T", kPlain)
    .elementwise(binary_block<OverwriteFn, PlainTypes>)
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.zeros_like(g.in(0)));
      g.set_dx(1, g.dy());
    })
    .role(Role::kOverwrite)
    .internal()
    .reference([](double, double b) { return b; })
    .samples(BinarySamples());

}  // namespace sluice
