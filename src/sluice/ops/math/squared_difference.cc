#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct SquaredDifferenceFn {
  template <class C>
  static C Apply(C a, C b) {
    auto d = ToWrap(a) - ToWrap(b);
    return Wrap<C>(d * d);
  }
};

}  // namespace

SL_OP(SquaredDifference)
    .doc("(a - b)^2, elementwise with broadcasting; integers wrap.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kReals)
    .elementwise(binary_block<SquaredDifferenceFn>)
    .commutative()
    .max_ulp(2)
    .reference([](double a, double b) { return (a - b) * (a - b); })
    .samples(BinarySamples())
    .rejects(BinaryRejects("SquaredDifference"));

}  // namespace sluice
