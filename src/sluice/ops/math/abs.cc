#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct AbsFn {
  static constexpr TileOp kTile = TileOp::kAbs;
  template <class C>
  static C Apply(C x) {
    if constexpr (std::is_unsigned_v<C>) {
      return x;
    } else if constexpr (std::is_integral_v<C>) {
      return x < 0 ? Wrap<C>(0 - ToWrap(x)) : x;
    } else {
      return std::fabs(x);
    }
  }
};

}  // namespace

SL_OP_OF(Abs, UnaryFunction)
    .doc("|x|, elementwise; the smallest integer stays itself.")
    .types("T", kReals)
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy() * g.call("Sign", {g.in(0)}));
    })
    .elementwise(unary_block<AbsFn, RealTypes>)
    .reference([](double x) { return std::fabs(x); })
    .samples(UnarySamples());

}  // namespace sluice
