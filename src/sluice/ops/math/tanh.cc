#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct TanhFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Tanh(x);
  }
};

}  // namespace

SL_OP_OF(Tanh, FloatFunction)
    .doc("The hyperbolic tangent, elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("TanhGrad", {g.dy(), g.out()}));
    })
    .elementwise(long_block<TanhFn>)
    .max_ulp(2)
    .reference([](double x) { return std::tanh(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Tanh).method();

}  // namespace sluice
