#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct IsFiniteFn {
  template <class C>
  static bool Apply(C x) {
    // inf - inf and NaN - NaN are NaN, which equals nothing.
    return x - x == C(0);
  }
};

}  // namespace

SL_OP(IsFinite)
    .doc("True where x is neither infinite nor NaN.")
    .function("isfinite")
    .input("x: T")
    .output("y: bool")
    .types("T", kFloats)
    .no_grad("it tells one of two things")
    .elementwise(test_block<IsFiniteFn>)
    .reference([](double x) -> double { return std::isfinite(x); })
    .samples(UnarySamples())
    .rejects(UnaryRejects("IsFinite"));

}  // namespace sluice
