#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct CosFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Cos(x);
  }
  static constexpr uint32_t kNear = vmath::kTrigNear;
  static uint32_t Distance(float x) { return vmath::Distance(x); }
  static float Near(float x) { return vmath::CosNear(x); }
};

}  // namespace

SL_OP_OF(Cos, FloatFunction)
    .doc("cos(x), elementwise; x in radians.")
    .grad([](GradContext& g) {
      g.set_dx(0, -(g.dy() * g.call("Sin", {g.in(0)})));
    })
    .elementwise(long_block<CosFn>)
    .max_ulp(2)
    .reference([](double x) { return std::cos(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Cos).method();

}  // namespace sluice
