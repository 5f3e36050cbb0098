#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct ErfcFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Erfc(x);
  }
};

}  // namespace

SL_OP_OF(Erfc, FloatFunction)
    .doc(
        "1 - erf(x), elementwise, to full precision also where erf(x) is "
        "nearly 1.")
    .grad([](GradContext& g) {
      constexpr double kSlope = -1.12837916709551257390;  // 2 / sqrt(pi)
      GradVar bell = g.call("Exp", {-g.call("Square", {g.in(0)})});
      g.set_dx(0, g.dy() * (kSlope * bell));
    })
    .elementwise(long_block<ErfcFn>)
    .max_ulp(6)
    .reference([](double x) { return std::erfc(x); })
    .samples(UnarySamples(-4, 9));

}  // namespace sluice
