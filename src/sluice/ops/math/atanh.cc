#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct AtanhFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Atanh(x);
  }
};

}  // namespace

SL_OP_OF(Atanh, FloatFunction)
    .doc("The inverse of tanh, elementwise; infinite at -1 and 1, NaN beyond.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(1.0 / ((1.0 - g.in(0)) * (1.0 + g.in(0)))));
    })
    .elementwise(long_block<AtanhFn>)
    .max_ulp(3)
    .reference([](double x) { return std::atanh(x); })
    .samples(UnarySamples(-0.99, 0.99));
SL_FACE(Atanh).method();

}  // namespace sluice
