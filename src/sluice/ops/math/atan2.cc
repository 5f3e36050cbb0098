#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct Atan2Fn {
  template <class C>
  static C Apply(C a, C b) {
    return vmath::Atan2(a, b);
  }
};

}  // namespace

SL_OP(Atan2)
    .doc(
        "The angle in [-pi, pi] of the point (b, a), elementwise with "
        "broadcasting.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(binary_block<Atan2Fn, FloatTypes>)
    .max_ulp(2)
    .reference([](double a, double b) { return std::atan2(a, b); })
    .samples(BinarySamples())
    .rejects(BinaryRejects("Atan2"));

}  // namespace sluice
