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

struct ExpFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Exp(x);
  }
  static constexpr int kInterleave = 8;
  static constexpr uint32_t kNear = vmath::kExpNear;
  static uint32_t Distance(float x) { return vmath::Distance(x); }
  static constexpr int kWave = 8;
  template <class F>
  static SL_INLINE F Near(F x) {
    return vmath::ExpNear(x);
  }
};

}  // namespace

SL_OP_OF(Exp, FloatFunction)
    .doc("exp(x), elementwise.")
    .grad([](GradContext& g) { g.set_dx(0, g.times_dy(g.out())); })
    .elementwise(long_block<ExpFn>)
    .max_ulp(1.01)
    .reference([](double x) { return std::exp(x); })
    .samples(UnarySamples(-20, 20));
SL_FACE(Exp).method();
SL_AUTOCAST(Exp, kF32);

}  // namespace sluice
