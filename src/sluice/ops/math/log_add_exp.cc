#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct LogAddExpFn {
  template <class C>
  static C Apply(C a, C b) {
    C high = a > b ? a : b, gap = a > b ? b - a : a - b;
    C y = high + vmath::Log1p(vmath::Exp(gap));
    // For equal infinities the gap is NaN.
    y = a == b ? a + C(0.69314718055994530942) : y;
    return y;
  }
};

}  // namespace

SL_OP_OF(LogAddExp, BinaryFunction)
    .doc(
        "log(exp(a) + exp(b)), elementwise with broadcasting, without overflow "
        "on the way.")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      GradVar gap = g.in(0) - g.in(1);
      if (g.wants(0)) g.set_dx(0, g.times_dy(g.call("Sigmoid", {gap})));
      if (g.wants(1)) g.set_dx(1, g.times_dy(g.call("Sigmoid", {-gap})));
    })
    .elementwise(binary_block<LogAddExpFn, FloatTypes>)
    .commutative()
    .max_ulp(2)
    .tolerance(1e-6)
    .reference([](double a, double b) {
      if (a == b) return a + std::log(2.0);
      return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
    })
    .samples(BinarySamples(-30, 30));
SL_AUTOCAST(LogAddExp, kF32);

}  // namespace sluice
