#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

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
    .elementwise(binary_block<MulFn, NumberTypes>)
    .commutative()
    .associative()
    .reference([](double a, double b) { return a * b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("Mul"));

}  // namespace sluice
