#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct CoshFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Cosh(x);
  }
};

}  // namespace

SL_OP_OF(Cosh, FloatFunction)
    .doc("cosh(x), elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(g.call("Sinh", {g.in(0)})));
    })
    .elementwise(long_block<CoshFn>)
    .max_ulp(2)
    .reference([](double x) { return std::cosh(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Cosh).method();
SL_AUTOCAST(Cosh, kF32);

}  // namespace sluice
