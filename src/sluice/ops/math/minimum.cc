#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/extreme_grad.h"

namespace sluice {
namespace {

struct MinimumFn {
  static constexpr TileOp kTile = TileOp::kMinimum;
  template <class C>
  static C Apply(C a, C b) {
    // A comparison with NaN is false, so b's NaN falls through to b.
    return a < b || a != a ? a : b;
  }
};

}  // namespace

SL_OP(Minimum)
    .doc("The smaller of a and b, elementwise; NaN when either is NaN.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kReals)
    .grad([](GradContext& g) { ExtremeOfTwoGrad(g, "Less"); })
    .elementwise(binary_block<MinimumFn>)
    .commutative()
    .associative()
    .reference([](double a, double b) { return a < b || a != a ? a : b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("Minimum"));

}  // namespace sluice
