#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct CeilFn {
  template <class C>
  static C Apply(C x) {
    return std::ceil(x);
  }
};

}  // namespace

SL_OP(Ceil)
    .doc("The smallest integer not below x, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .no_grad("it rounds")
    .elementwise(unary_block<CeilFn>)
    .reference([](double x) { return std::ceil(x); })
    .samples(UnarySamples(-9, 9))
    .rejects(UnaryRejects("Ceil"));

}  // namespace sluice
