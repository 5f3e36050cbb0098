#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct DivNoNanFn {
  template <class C>
  static C Apply(C a, C b) {
    C y = a / b;
    return b == 0 ? C(0) : y;
  }
};

}  // namespace

SL_OP(DivNoNan)
    .doc("a / b, elementwise with broadcasting; 0 where b is 0, whatever a is.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(binary_block<DivNoNanFn, FloatTypes>)
    .reference([](double a, double b) { return b == 0 ? 0 : a / b; })
    .samples(BinarySamples())
    .rejects(BinaryRejects("DivNoNan"));

}  // namespace sluice
