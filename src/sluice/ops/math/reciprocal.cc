#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct ReciprocalFn {
  template <class C>
  static C Apply(C x) {
    if constexpr (std::is_same_v<C, complex64>) {
      float d = x.real() * x.real() + x.imag() * x.imag();
      return {x.real() / d, -x.imag() / d};
    } else {
      return C(1) / x;
    }
  }
};

}  // namespace

SL_OP_OF(Reciprocal, FloatFunction)
    .doc("1 / x, elementwise.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(-g.call("Square", {g.out()})));
    })
    .elementwise(unary_block<ReciprocalFn>)
    .reference([](double x) { return 1 / x; })
    .samples(UnarySamples(0.1, 9));
SL_FACE(Reciprocal).method();
SL_AUTOCAST(Reciprocal, kF32);

}  // namespace sluice
