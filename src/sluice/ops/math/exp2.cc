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

struct Exp2Fn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Exp2(x);
  }
};

}  // namespace

SL_OP_OF(Exp2, FloatFunction)
    .doc("2 to the power x, elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(0.69314718055994530942 * g.out()));
    })
    .elementwise(long_block<Exp2Fn>)
    .max_ulp(1)
    .reference([](double x) { return std::exp2(x); })
    .samples(UnarySamples(-20, 20));
SL_FACE(Exp2).method();
SL_AUTOCAST(Exp2, kF32);

}  // namespace sluice
