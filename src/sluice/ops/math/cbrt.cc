#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct CbrtFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Cbrt(x);
  }
};

}  // namespace

SL_OP_OF(Cbrt, FloatFunction)
    .doc("The cube root of x, elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(1.0 / (3.0 * g.call("Square", {g.out()}))));
    })
    .elementwise(long_block<CbrtFn>)
    .max_ulp(1)
    .reference([](double x) { return std::cbrt(x); })
    .samples(UnarySamples(-30, 30));

}  // namespace sluice
