#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct CopySignFn {
  template <class C>
  static C Apply(C a, C b) {
    return std::copysign(a, b);
  }
};

}  // namespace

SL_OP(CopySign)
    .doc("|a| with the sign of b, elementwise with broadcasting.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(binary_block<CopySignFn, FloatTypes>)
    .reference([](double a, double b) { return std::copysign(a, b); })
    .samples(BinarySamples())
    .rejects(BinaryRejects("CopySign"));

}  // namespace sluice
