#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct HypotFn {
  template <class C>
  static C Apply(C a, C b) {
    if constexpr (std::is_same_v<C, float>) {
      double x = a, y = b;
      auto length = static_cast<float>(std::sqrt(x * x + y * y));
      constexpr float kInf = std::numeric_limits<float>::infinity();
      bool long_a = std::fabs(a) == kInf, long_b = std::fabs(b) == kInf;
      return long_a || long_b ? kInf : length;
    } else {
      return std::hypot(a, b);
    }
  }
};

}  // namespace

SL_OP_OF(Hypot, BinaryFunction)
    .doc(
        "sqrt(a^2 + b^2), elementwise with broadcasting, without overflow on "
        "the way; infinite when either is.")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      // At the origin, where it is not differentiable, it is 0.
      for (int i : {0, 1}) {
        if (!g.wants(i)) continue;
        g.set_dx(i, g.dy() * g.call("DivNoNan", {g.in(i), g.out()}));
      }
    })
    .elementwise(binary_block<HypotFn, FloatTypes>)
    .commutative()
    .max_ulp(1)
    .reference([](double a, double b) { return std::hypot(a, b); })
    .samples(BinarySamples());
SL_FACE(Hypot).method();

}  // namespace sluice
