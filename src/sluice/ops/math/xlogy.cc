#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct XlogyFn {
  template <class C>
  static C Apply(C a, C b) {
    C y = a * vmath::Log(b);
    return a == 0 && b == b ? C(0) : y;
  }
};

}  // namespace

SL_OP_OF(Xlogy, BinaryFunction)
    .doc(
        "a log(b), elementwise with broadcasting; 0 where a is 0, unless b is "
        "NaN.")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      GradVar a = g.in(0), b = g.in(1);
      if (g.wants(0)) {
        // If a is 0 the logarithm may not exist: the result is still 0, and so
        // is the gradient.
        GradVar zero = g.scalar(0, a.dtype()), one = g.scalar(1, a.dtype());
        GradVar none = g.call("LogicalAnd", {g.call("Equal", {a, zero}),
                                             g.call("LessEqual", {b, zero})});
        g.set_dx(0,
                 g.times_dy(g.call("Log", {g.call("Select", {none, one, b})})));
      }
      if (g.wants(1)) g.set_dx(1, g.call("MulNoNan", {g.dy() * a, 1.0 / b}));
    })
    .elementwise(binary_block<XlogyFn, FloatTypes>)
    .max_ulp(2)
    .reference([](double a, double b) {
      return a == 0 && !std::isnan(b) ? 0 : a * std::log(b);
    })
    .samples(BinarySamples(0, 3));
SL_FACE(Xlogy).method();

}  // namespace sluice
