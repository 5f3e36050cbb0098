#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct AddFn {
  static constexpr TileOp kTile = TileOp::kAdd;
  template <class C>
  static C Apply(C a, C b) {
    return Wrap<C>(ToWrap(a) + ToWrap(b));
  }
};

}  // namespace

SL_OP_OF(Add, BinaryFunction)
    .doc("a + b, elementwise with broadcasting; integers wrap.")
    .types("T", kNumbers)
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy());
      g.set_dx(1, g.dy());
    })
    .elementwise(binary_block<AddFn, NumberTypes>)
    .simplify("x + 0 = x; for floats x + -0.0 = x",
              [](SimplifyContext& s) {
                // -0.0 + 0.0 is +0.0: for floats only -0.0 is neutral.
                return DropNeutral(s, IsFloating(s.in(0).dtype()) ? -0.0 : 0.0);
              })
    .commutative()
    .associative()
    .role(Role::kAdd)
    .linear(Linear::kInAll)
    .reference([](double a, double b) { return a + b; })
    .samples(BinarySamples());
SL_FACE(Add).keeps({DType::kBool});

}  // namespace sluice
