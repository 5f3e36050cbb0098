// IsFinite, IsInf and IsNan.
#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct IsFiniteFn {
  template <class C>
  static bool Apply(C x) {
    // inf - inf and NaN - NaN are NaN, which equals nothing.
    return x - x == C(0);
  }
};

struct IsInfFn {
  template <class C>
  static bool Apply(C x) {
    return std::fabs(x) == std::numeric_limits<C>::infinity();
  }
};

struct IsNanFn {
  template <class C>
  static bool Apply(C x) {
    return x != x;
  }
};

OpDefinition& IsNumber(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: bool")
      .types("T", kFloats)
      .no_grad("it tells one of two things")
      .samples(UnarySamples())
      .rejects(UnaryRejects(name));
}

}  // namespace

SL_OP_OF(IsFinite, IsNumber)
    .doc("True where x is neither infinite nor NaN.")
    .function("isfinite")
    .elementwise(test_block<IsFiniteFn>)
    .reference([](double x) -> double { return std::isfinite(x); });
SL_FACE(IsFinite).method();

SL_OP_OF(IsInf, IsNumber)
    .doc("True where x is infinite.")
    .function("isinf")
    .elementwise(test_block<IsInfFn>)
    .reference([](double x) -> double { return std::isinf(x); });
SL_FACE(IsInf).method();

SL_OP_OF(IsNan, IsNumber)
    .doc("True where x is NaN.")
    .function("isnan")
    .elementwise(test_block<IsNanFn>)
    .reference([](double x) -> double { return std::isnan(x); });
SL_FACE(IsNan).method();

}  // namespace sluice
