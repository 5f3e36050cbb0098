#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct ErfFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Erf(x);
  }
};

}  // namespace

SL_OP_OF(Erf, FloatFunction)
    .doc(
        "The error function, elementwise: 2 / sqrt(pi) times the integral of "
        "exp(-t^2) from 0 to x.")
    .grad([](GradContext& g) {
      constexpr double kSlope = 1.12837916709551257390;  // 2 / sqrt(pi)
      GradVar bell = g.call("Exp", {-g.call("Square", {g.in(0)})});
      g.set_dx(0, g.dy() * (kSlope * bell));
    })
    .elementwise(long_block<ErfFn>)
    .max_ulp(2)
    .reference([](double x) { return std::erf(x); })
    .samples(UnarySamples(-4, 4));

}  // namespace sluice
