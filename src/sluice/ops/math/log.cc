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

struct LogFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log(x);
  }
  static constexpr int kInterleave = 4;
  static constexpr uint32_t kNear = vmath::kLogNear;
  static uint32_t Distance(float x) { return vmath::LogDistance(x); }
  static constexpr int kWave = 6;
  template <class F>
  static SL_INLINE F Near(F x) {
    return vmath::LogNear(x);
  }
};

}  // namespace

SL_OP_OF(Log, FloatFunction)
    .doc("The natural logarithm, elementwise; -inf at 0, NaN below.")
    .grad([](GradContext& g) { g.set_dx(0, g.times_dy(1.0 / g.in(0))); })
    .elementwise(long_block<LogFn>)
    .max_ulp(1)
    .reference([](double x) { return std::log(x); })
    .samples(UnarySamples(0.01, 20));
SL_FACE(Log).method();
SL_AUTOCAST(Log, kF32);

}  // namespace sluice
