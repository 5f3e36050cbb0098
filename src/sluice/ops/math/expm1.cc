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

struct Expm1Fn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Expm1(x);
  }
};

}  // namespace

SL_OP_OF(Expm1, FloatFunction)
    .doc("exp(x) - 1, elementwise, exact for small x.")
    .grad([](GradContext& g) { g.set_dx(0, g.times_dy(1.0 + g.out())); })
    .elementwise(long_block<Expm1Fn>)
    .max_ulp(2)
    .reference([](double x) { return std::expm1(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Expm1).method();
SL_AUTOCAST(Expm1, kF32);

}  // namespace sluice
