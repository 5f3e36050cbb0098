#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct IsNanFn {
  template <class C>
  static bool Apply(C x) {
    return x != x;
  }
};

}  // namespace

SL_OP(IsNan)
    .doc("True where x is NaN.")
    .function("isnan")
    .input("x: T")
    .output("y: bool")
    .types("T", kFloats)
    .no_grad("it tells one of two things")
    .elementwise(test_block<IsNanFn>)
    .reference([](double x) -> double { return std::isnan(x); })
    .samples(UnarySamples())
    .rejects(UnaryRejects("IsNan"));

}  // namespace sluice
