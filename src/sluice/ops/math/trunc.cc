#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct TruncFn {
  template <class C>
  static C Apply(C x) {
    return std::trunc(x);
  }
};

}  // namespace

SL_OP(Trunc)
    .doc("x without its fraction, elementwise: rounded towards 0.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .no_grad("it rounds")
    .elementwise(unary_block<TruncFn>)
    .reference([](double x) { return std::trunc(x); })
    .samples(UnarySamples(-5, 5))
    .rejects(UnaryRejects("Trunc"));

}  // namespace sluice
