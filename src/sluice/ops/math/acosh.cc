#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct AcoshFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Acosh(x);
  }
};

}  // namespace

SL_OP_OF(Acosh, FloatFunction)
    .doc("The inverse of cosh, elementwise; NaN below 1.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(g.call("Rsqrt", {g.in(0) - 1.0}) *
                             g.call("Rsqrt", {g.in(0) + 1.0})));
    })
    .elementwise(long_block<AcoshFn>)
    .max_ulp(2)
    .reference([](double x) { return std::acosh(x); })
    .samples(UnarySamples(1, 20));
SL_FACE(Acosh).method();

}  // namespace sluice
