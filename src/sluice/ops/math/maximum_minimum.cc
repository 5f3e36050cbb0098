// Maximum and Minimum.
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"
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

struct MinimumFn {
  static constexpr TileOp kTile = TileOp::kMinimum;
  template <class C>
  static C Apply(C a, C b) {
    // A comparison with NaN is false, so b's NaN falls through to b.
    return a < b || a != a ? a : b;
  }
};

// Not commutative: for 0.0 and -0.0, which are equal, it is the second.
OpDefinition& ExtremeOfTwo(OpDefinition&& op, std::string_view name) {
  return op.input("a: T")
      .input("b: T")
      .output("y: T")
      .types("T", kReals)
      .associative()
      .samples(BinarySamples())
      .rejects(BinaryRejects(name));
}

}  // namespace

SL_OP_OF(Maximum, ExtremeOfTwo)
    .doc("The larger of a and b, elementwise; NaN when either is NaN.")
    .grad([](GradContext& g) { ExtremeOfTwoGrad(g, "Greater"); })
    .elementwise(binary_block<MaximumFn>)
    .reference([](double a, double b) { return a > b || a != a ? a : b; });
SL_FACE(Maximum).method().keeps({DType::kBool});

SL_OP_OF(Minimum, ExtremeOfTwo)
    .doc("The smaller of a and b, elementwise; NaN when either is NaN.")
    .grad([](GradContext& g) { ExtremeOfTwoGrad(g, "Less"); })
    .elementwise(binary_block<MinimumFn>)
    .reference([](double a, double b) { return a < b || a != a ? a : b; });
SL_FACE(Minimum).method().keeps({DType::kBool});

}  // namespace sluice
