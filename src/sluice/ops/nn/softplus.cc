#include <cmath>

#include "sluice/kernels/cpu/long_formula.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct SoftplusFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return vmath::Softplus(x);
  }
};

}  // namespace

SL_OP(Softplus)
    .doc("log(1 + exp(x)), elementwise, without overflow.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SoftplusGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<SoftplusFn>)
    .max_ulp(3)
    .reference([](double x) {
      return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
    })
    .samples(UnarySamples(-30, 30))
    .rejects(UnaryRejects("Softplus"));

}  // namespace sluice
