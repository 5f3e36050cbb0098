#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct RsqrtFn {
  template <class C>
  static C Apply(C x) {
    return C(1) / std::sqrt(x);
  }
};

}  // namespace

SL_OP_OF(Rsqrt, FloatFunction)
    .doc("1 / sqrt(x), elementwise; infinite at 0, NaN below.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(-0.5 * (g.out() * g.call("Square", {g.out()}))));
    })
    .elementwise(unary_block<RsqrtFn>)
    .max_ulp(2)
    .reference([](double x) { return 1 / std::sqrt(x); })
    .samples(UnarySamples(0.01, 9));
SL_FACE(Rsqrt).method();
SL_AUTOCAST(Rsqrt, kF32);

}  // namespace sluice
