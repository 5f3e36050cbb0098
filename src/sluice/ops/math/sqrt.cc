#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct SqrtFn {
  template <class C>
  static C Apply(C x) {
    return std::sqrt(x);
  }
};

}  // namespace

SL_OP_OF(Sqrt, FloatFunction)
    .doc("The square root, elementwise; NaN below 0.")
    .grad([](GradContext& g) { g.set_dx(0, g.times_dy(0.5 / g.out())); })
    .elementwise(unary_block<SqrtFn>)
    .reference([](double x) { return std::sqrt(x); })
    .samples(UnarySamples(0, 9));
SL_FACE(Sqrt).method();

}  // namespace sluice
