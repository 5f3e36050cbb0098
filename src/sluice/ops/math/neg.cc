#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct NegFn {
  static constexpr TileOp kTile = TileOp::kNeg;
  template <class C>
  static C Apply(C x) {
    if constexpr (std::is_integral_v<C>) {
      return Wrap<C>(0 - ToWrap(x));
    } else {
      return -x;
    }
  }
};

}  // namespace

SL_OP_OF(Neg, UnaryFunction)
    .doc("-x, elementwise; the smallest integer stays itself.")
    .types("T", kNumbers)
    .grad([](GradContext& g) { g.set_dx(0, -g.dy()); })
    .elementwise(unary_block<NegFn, NumberTypes>)
    .simplify("-(-x) = x", DropTwice)
    .role(Role::kNeg)
    .linear(Linear::kInFirst)
    .reference([](double x) { return -x; })
    .samples(UnarySamples());
SL_FACE(Neg).method();

}  // namespace sluice
