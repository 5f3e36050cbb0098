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

struct TanFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Tan(x);
  }
  static constexpr uint32_t kNear = vmath::kTrigNear;
  static uint32_t Distance(float x) { return vmath::Distance(x); }
  static float Near(float x) { return vmath::TanNear(x); }
};

}  // namespace

SL_OP_OF(Tan, FloatFunction)
    .doc("tan(x), elementwise; x in radians.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(1.0 + g.call("Square", {g.out()})));
    })
    .elementwise(long_block<TanFn>)
    .max_ulp(4)
    .reference([](double x) { return std::tan(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Tan).method();
SL_AUTOCAST(Tan, kF32);

}  // namespace sluice
