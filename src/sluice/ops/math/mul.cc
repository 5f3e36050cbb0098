#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct MulFn {
  static constexpr TileOp kTile = TileOp::kMul;
  template <class C>
  static C Apply(C a, C b) {
    if constexpr (std::is_same_v<C, complex64>) {
      return ComplexMul(a, b);
    } else {
      return Wrap<C>(ToWrap(a) * ToWrap(b));
    }
  }
};

}  // namespace

SL_OP(Mul)
    .doc("a * b, elementwise with broadcasting; integers wrap.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kNumbers)
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy() * g.in(1));
      if (g.wants(1)) g.set_dx(1, g.dy() * g.in(0));
    })
    .elementwise(binary_block<MulFn, NumberTypes>)
    .commutative()
    .associative()
    .reference([](double a, double b) { return a * b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("Mul"));

}  // namespace sluice
