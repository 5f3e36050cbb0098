#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct CosFn {
  template <class C>
  static C Apply(C x) {
    return std::cos(x);
  }
};

}  // namespace

SL_OP(Cos)
    .doc("cos(x), elementwise; x in radians.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(unary_block<CosFn>)
    .max_ulp(2)
    .reference([](double x) { return std::cos(x); })
    .samples(UnarySamples(-10, 10))
    .rejects(UnaryRejects("Cos"));

}  // namespace sluice
