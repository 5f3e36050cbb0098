#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct MseLossFn {
  template <class C>
  static SL_INLINE C Apply(C x, C t, C) {
    C d = x - t;
    return d * d;
  }
};

}  // namespace

SL_OP_OF(MseLoss, ElementLoss)
    .doc("The squared difference of x and target: (x - target)^2.")
    .grad([](GradContext& g) {
      SetOpposite(g, (g.in(0) - g.in(1)) * (2.0 * DyOfEach(g)));
    })
    .batch(BatchEach)
    .cpu(loss_kernel<MseLossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs&) {
      return (x - t) * (x - t);
    }))
    .samples(LossSamples(-2, 2));
SL_AUTOCAST(MseLoss, kF32);

}  // namespace sluice
