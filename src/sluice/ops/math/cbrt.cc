#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct CbrtFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Cbrt(x);
  }
};

}  // namespace

SL_OP(Cbrt)
    .doc("The cube root of x, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(1.0 / (3.0 * g.call("Square", {g.out()}))));
    })
    .elementwise(long_block<CbrtFn>)
    .max_ulp(1)
    .reference([](double x) { return std::cbrt(x); })
    .samples(UnarySamples(-30, 30))
    .rejects(UnaryRejects("Cbrt"));

}  // namespace sluice
