#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct BceWithLogitsLossFn {
  template <class C>
  static SL_INLINE C Apply(C x, C t, C) {
    return MulAdd(-x, t, vmath::Softplus(x));
  }
};

}  // namespace

SL_OP_OF(BceWithLogitsLoss, ElementLoss)
    .doc(
        "Binary cross entropy of the sigmoid of x: max(x, 0) - x target + "
        "log(1 + exp(-|x|)).")
    .grad([](GradContext& g) {
      GradVar dy = DyOfEach(g);
      if (g.wants(0)) {
        g.set_dx(0, (g.call("Sigmoid", {g.in(0)}) - g.in(1)) * dy);
      }
      if (g.wants(1)) g.set_dx(1, -(g.in(0) * dy));
    })
    .batch(BatchEach)
    .cpu(loss_kernel<BceWithLogitsLossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs&) {
      return (x > 0 ? x : 0) - x * t + std::log1p(std::exp(-std::fabs(x)));
    }))
    .samples(LossSamples(-10, 10));
SL_AUTOCAST(BceWithLogitsLoss, kF32);

}  // namespace sluice
