#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct SinFn {
  template <class C>
  static C Apply(C x) {
    return std::sin(x);
  }
};

}  // namespace

SL_OP(Sin)
    .doc("sin(x), elementwise; x in radians.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .elementwise(unary_block<SinFn>)
    .max_ulp(2)
    .reference([](double x) { return std::sin(x); })
    .samples(UnarySamples(-10, 10))
    .rejects(UnaryRejects("Sin"));

}  // namespace sluice
