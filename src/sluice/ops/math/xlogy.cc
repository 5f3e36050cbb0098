#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct XlogyFn {
  template <class C>
  static C Apply(C a, C b) {
    C y = a * vmath::Log(b);
    return a == 0 && b == b ? C(0) : y;
  }
};

}  // namespace

SL_OP(Xlogy)
    .doc(
        "a log(b), elementwise with broadcasting; 0 where a is 0, unless b is "
        "NaN.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(binary_block<XlogyFn, FloatTypes>)
    .max_ulp(2)
    .reference([](double a, double b) {
      return a == 0 && !std::isnan(b) ? 0 : a * std::log(b);
    })
    .samples(BinarySamples(0, 3))
    .rejects(BinaryRejects("Xlogy"));

}  // namespace sluice
