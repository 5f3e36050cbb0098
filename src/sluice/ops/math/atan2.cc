#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct Atan2Fn {
  template <class C>
  static C Apply(C a, C b) {
    return vmath::Atan2(a, b);
  }
};

}  // namespace

SL_OP_OF(Atan2, BinaryFunction)
    .doc(
        "The angle in [-pi, pi] of the point (b, a), elementwise with "
        "broadcasting.")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      GradVar a = g.in(0), b = g.in(1), r = g.call("Hypot", {a, b});
      // Divided twice: the square of r may overflow. At the origin, which has
      // no angle, it is 0: a NaN there would spread to all parameters.
      auto by_square = [&](GradVar x) {
        return g.call("DivNoNan", {g.call("DivNoNan", {x, r}), r});
      };
      if (g.wants(0)) g.set_dx(0, g.times_dy(by_square(b)));
      if (g.wants(1)) g.set_dx(1, g.times_dy(-by_square(a)));
    })
    .elementwise(binary_block<Atan2Fn, FloatTypes>)
    .max_ulp(2)
    .reference([](double a, double b) { return std::atan2(a, b); })
    .samples(BinarySamples());
SL_FACE(Atan2).method();

}  // namespace sluice
