#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct Log1pFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Log1p(x);
  }
};

}  // namespace

SL_OP(Log1p)
    .doc("log(1 + x), elementwise, exact for small x.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.times_dy(1.0 / (1.0 + g.in(0))));
    })
    .elementwise(long_block<Log1pFn>)
    .max_ulp(3)
    .reference([](double x) { return std::log1p(x); })
    .samples(UnarySamples(-0.9, 20))
    .rejects(UnaryRejects("Log1p"));

}  // namespace sluice
