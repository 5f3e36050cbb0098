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

struct SinhFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Sinh(x);
  }
};

}  // namespace

SL_OP_OF(Sinh, FloatFunction)
    .doc("sinh(x), elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(g.call("Cosh", {g.in(0)})));
    })
    .elementwise(long_block<SinhFn>)
    .max_ulp(2)
    .reference([](double x) { return std::sinh(x); })
    .samples(UnarySamples(-10, 10));
SL_FACE(Sinh).method();
SL_AUTOCAST(Sinh, kF32);

}  // namespace sluice
