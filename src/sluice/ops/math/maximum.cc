#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/extreme_grad.h"

namespace sluice {
namespace {

struct MaximumFn {
  static constexpr TileOp kTile = TileOp::kMaximum;
  template <class C>
  static C Apply(C a, C b) {
    // A comparison with NaN is false, so b's NaN falls through to b.
    return a > b || a != a ? a : b;
  }
};

}  // namespace

SL_OP(Maximum)
    .doc("The larger of a and b, elementwise; NaN when either is NaN.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kReals)
    .grad([](GradContext& g) { ExtremeOfTwoGrad(g, "Greater"); })
    .elementwise(binary_block<MaximumFn>)
    .commutative()
    .associative()
    .reference([](double a, double b) { return a > b || a != a ? a : b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("Maximum"));

}  // namespace sluice
