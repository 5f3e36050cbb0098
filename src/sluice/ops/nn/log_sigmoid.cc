#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct LogSigmoidFn : LongFormula {
  template <class C>
  static C Apply(C x) {
    return -vmath::Softplus(-x);
  }
};

}  // namespace

SL_OP(LogSigmoid)
    .doc("log(1 / (1 + exp(-x))), elementwise, without overflow.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("LogSigmoidGrad", {g.dy(), g.in(0)}));
    })
    .elementwise(long_block<LogSigmoidFn>)
    .max_ulp(3)
    .reference([](double x) {
      return (x < 0 ? x : 0) - std::log1p(std::exp(-std::fabs(x)));
    })
    .samples(UnarySamples(-30, 30))
    .rejects(UnaryRejects("LogSigmoid"));

}  // namespace sluice
