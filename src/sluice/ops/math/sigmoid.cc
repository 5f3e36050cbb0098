#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct SigmoidFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Sigmoid(x);
  }
  static constexpr int kInterleave = 8;
  static constexpr uint32_t kNear = vmath::kExpNear;
  static uint32_t Distance(float x) { return vmath::Distance(x); }
  static constexpr int kWave = 8;
  template <class F>
  static SL_INLINE F Near(F x) {
    return vmath::SigmoidNear(x);
  }
};

}  // namespace

SL_OP_OF(Sigmoid, FloatFunction)
    .doc("1 / (1 + exp(-x)), elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SigmoidGrad", {g.dy(), g.out()}));
    })
    .elementwise(long_block<SigmoidFn>)
    .max_ulp(3)
    .reference([](double x) { return 1 / (1 + std::exp(-x)); })
    .samples(UnarySamples(-20, 20));
SL_FACE(Sigmoid).method();

}  // namespace sluice
