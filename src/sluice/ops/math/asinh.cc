#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct AsinhFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Asinh(x);
  }
};

}  // namespace

SL_OP_OF(Asinh, FloatFunction)
    .doc("The inverse of sinh, elementwise.")
    .grad([](GradContext& g) {
      // x^2 + 1 would overflow for large x.
      GradVar one = g.scalar(1, g.in(0).dtype());
      g.set_dx(0, g.dy() / g.call("Hypot", {g.in(0), one}));
    })
    .elementwise(long_block<AsinhFn>)
    .max_ulp(2)
    .reference([](double x) { return std::asinh(x); })
    .samples(UnarySamples(-20, 20));
SL_FACE(Asinh).method();

}  // namespace sluice
