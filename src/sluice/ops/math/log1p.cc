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

struct Log1pFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log1p(x);
  }
};

}  // namespace

SL_OP_OF(Log1p, FloatFunction)
    .doc("log(1 + x), elementwise, exact for small x.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(1.0 / (1.0 + g.in(0))));
    })
    .elementwise(long_block<Log1pFn>)
    .max_ulp(3)
    .reference([](double x) { return std::log1p(x); })
    .samples(UnarySamples(-0.9, 20));
SL_FACE(Log1p).method();
SL_AUTOCAST(Log1p, kF32);

}  // namespace sluice
