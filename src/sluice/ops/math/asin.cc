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

struct AsinFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Asin(x);
  }
};

}  // namespace

SL_OP_OF(Asin, FloatFunction)
    .doc(
        "The angle in [-pi/2, pi/2] whose sine is x, elementwise; NaN outside "
        "of [-1, 1].")
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.times_dy(g.call("Rsqrt", {(1.0 - g.in(0)) * (1.0 + g.in(0))})));
    })
    .elementwise(long_block<AsinFn>)
    .max_ulp(3)
    .reference([](double x) { return std::asin(x); })
    .samples(UnarySamples(-1, 1));
SL_FACE(Asin).method();
SL_AUTOCAST(Asin, kF32);

}  // namespace sluice
