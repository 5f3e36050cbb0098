#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct AtanFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Atan(x);
  }
};

}  // namespace

SL_OP_OF(Atan, FloatFunction)
    .doc("The angle in [-pi/2, pi/2] whose tangent is x, elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy() / (1.0 + g.call("Square", {g.in(0)})));
    })
    .elementwise(long_block<AtanFn>)
    .max_ulp(2)
    .reference([](double x) { return std::atan(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Atan).method();

}  // namespace sluice
