#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct SinFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Sin(x);
  }
  static constexpr uint32_t kNear = vmath::kTrigNear;
  static uint32_t Distance(float x) { return vmath::Distance(x); }
  static float Near(float x) { return vmath::SinNear(x); }
};

}  // namespace

SL_OP_OF(Sin, FloatFunction)
    .doc("sin(x), elementwise; x in radians.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy() * g.call("Cos", {g.in(0)}));
    })
    .elementwise(long_block<SinFn>)
    .max_ulp(2)
    .reference([](double x) { return std::sin(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Sin).method();

}  // namespace sluice
