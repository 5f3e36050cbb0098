// Log2 and Log10. Log has its own identities and is in log.cc.
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

struct Log2Fn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log2(x);
  }
  static constexpr uint32_t kNear = vmath::kLogNear;
  static uint32_t Distance(float x) { return vmath::LogDistance(x); }
  static float Near(float x) { return vmath::Log2Near(x); }
};

struct Log10Fn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log10(x);
  }
  static constexpr uint32_t kNear = vmath::kLogNear;
  static uint32_t Distance(float x) { return vmath::LogDistance(x); }
  static float Near(float x) { return vmath::Log10Near(x); }
};

constexpr double kLog2OfE = 1.44269504088896340736;
constexpr double kLog10OfE = 0.43429448190325182765;

template <class Fn, const double& kOfE>
OpDefinition& LogOfBase(OpDefinition&& op, std::string_view name) {
  return FloatFunction(std::move(op), name)
      .grad([](GradContext& g) { g.set_dx(0, g.times_dy(kOfE / g.in(0))); })
      .elementwise(long_block<Fn>)
      .max_ulp(2);
}

}  // namespace

SL_OP_OF(Log2, LogOfBase<Log2Fn, kLog2OfE>)
    .doc("The logarithm of x to base 2, elementwise; -inf at 0, NaN below.")
    .reference([](double x) { return std::log2(x); })
    .samples(UnarySamples(0.01, 20));
SL_FACE(Log2).method();
SL_AUTOCAST(Log2, kF32);

SL_OP_OF(Log10, LogOfBase<Log10Fn, kLog10OfE>)
    .doc("The logarithm of x to base 10, elementwise; -inf at 0, NaN below.")
    .reference([](double x) { return std::log10(x); })
    .samples(UnarySamples(0.01, 2000));
SL_FACE(Log10).method();
SL_AUTOCAST(Log10, kF32);

}  // namespace sluice
