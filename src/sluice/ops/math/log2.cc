#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct Log2Fn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log2(x);
  }
  static constexpr uint32_t kNear = vmath::kLogNear;
  static uint32_t Distance(float x) { return vmath::LogDistance(x); }
  static float Near(float x) { return vmath::Log2Near(x); }
};

}  // namespace

SL_OP_OF(Log2, FloatFunction)
    .doc("The logarithm of x to base 2, elementwise; -inf at 0, NaN below.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(1.44269504088896340736 / g.in(0)));
    })
    .elementwise(long_block<Log2Fn>)
    .max_ulp(2)
    .reference([](double x) { return std::log2(x); })
    .samples(UnarySamples(0.01, 20));

}  // namespace sluice
