#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct SubFn {
  static constexpr TileOp kTile = TileOp::kSub;
  template <class C>
  static C Apply(C a, C b) {
    return Wrap<C>(ToWrap(a) - ToWrap(b));
  }
};

}  // namespace

SL_OP_OF(Sub, BinaryFunction)
    .doc("a - b, elementwise with broadcasting; integers wrap.")
    .types("T", kNumbers)
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy());
      if (g.wants(1)) g.set_dx(1, -g.dy());
    })
    .elementwise(binary_block<SubFn, NumberTypes>)
    // x - (+0.0) is x even for -0.0; x - (-0.0) is not.
    .simplify("x - 0 = x",
              [](SimplifyContext& s) { return DropNeutralRight(s, 0.0); })
    .role(Role::kSub)
    .linear(Linear::kInAll)
    .reference([](double a, double b) { return a - b; })
    .samples(BinarySamples());

}  // namespace sluice
