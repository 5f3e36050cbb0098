#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct FloorFn {
  template <class C>
  static C Apply(C x) {
    return std::floor(x);
  }
};

}  // namespace

SL_OP(Floor)
    .doc("The largest integer not above x, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .no_grad("it rounds")
    .elementwise(unary_block<FloorFn>)
    .reference([](double x) { return std::floor(x); })
    .samples(UnarySamples(-9, 9))
    .rejects(UnaryRejects("Floor"));

}  // namespace sluice
