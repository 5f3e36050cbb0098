#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct L1LossFn {
  template <class C>
  static SL_INLINE C Apply(C x, C t, C) {
    return x < t ? t - x : x - t;
  }
};

}  // namespace

SL_OP_OF(L1Loss, ElementLoss)
    .doc("The absolute difference of x and target.")
    .grad([](GradContext& g) {
      SetOpposite(g, g.call("Sign", {g.in(0) - g.in(1)}) * DyOfEach(g));
    })
    .batch(BatchEach)
    .decompose([](DecomposeContext& d) {
      SetReduced(d, d.call("Abs", {d.in(0) - d.in(1)}));
    })
    .cpu(loss_kernel<L1LossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs&) {
      return std::fabs(x - t);
    }))
    .samples(LossSamples(-2, 2));
SL_AUTOCAST(L1Loss, kF32);

}  // namespace sluice
