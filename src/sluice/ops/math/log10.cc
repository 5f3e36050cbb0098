#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct Log10Fn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log10(x);
  }
  static constexpr uint32_t kNear = vmath::kLogNear;
  static uint32_t Distance(float x) { return vmath::LogDistance(x); }
  static float Near(float x) { return vmath::Log10Near(x); }
};

}  // namespace

SL_OP_OF(Log10, FloatFunction)
    .doc("The logarithm of x to base 10, elementwise; -inf at 0, NaN below.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(0.43429448190325182765 / g.in(0)));
    })
    .elementwise(long_block<Log10Fn>)
    .max_ulp(2)
    .reference([](double x) { return std::log10(x); })
    .samples(UnarySamples(0.01, 2000));

}  // namespace sluice
