#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/complex_grad.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct SquareFn {
  static constexpr TileOp kTile = TileOp::kSquare;
  template <class C>
  static C Apply(C x) {
    if constexpr (std::is_same_v<C, complex64>) {
      return ComplexMul(x, x);
    } else {
      return Wrap<C>(ToWrap(x) * ToWrap(x));
    }
  }
};

}  // namespace

SL_OP_OF(Square, UnaryFunction)
    .doc("x * x, elementwise; integers wrap.")
    .types("T", kNumbers)
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy() * (2.0 * Conjugate(g, g.in(0))));
    })
    .elementwise(unary_block<SquareFn, NumberTypes>)
    .reference([](double x) { return x * x; })
    .samples(UnarySamples());
SL_FACE(Square).method();

}  // namespace sluice
