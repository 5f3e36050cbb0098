#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct IsInfFn {
  template <class C>
  static bool Apply(C x) {
    return std::fabs(x) == std::numeric_limits<C>::infinity();
  }
};

}  // namespace

SL_OP(IsInf)
    .doc("True where x is infinite.")
    .function("isinf")
    .input("x: T")
    .output("y: bool")
    .types("T", kFloats)
    .no_grad("it tells one of two things")
    .elementwise(test_block<IsInfFn>)
    .reference([](double x) -> double { return std::isinf(x); })
    .samples(UnarySamples())
    .rejects(UnaryRejects("IsInf"));

}  // namespace sluice
