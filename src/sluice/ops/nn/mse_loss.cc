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

SL_OP(MseLoss)
    .doc("The squared difference of x and target: (x - target)^2.")
    .input("x: T")
    .input("target: T")
    .output("loss: T")
    .types("T", kFloats)
    .attr("reduction", "mean", kReductionDoc)
    .one_of({"none", "mean", "sum"})
    .shape(loss_shape)
    .grad([](GradContext& g) {
      SetOpposite(g, (g.in(0) - g.in(1)) * (2.0 * DyOfEach(g)));
    })
    .batch(BatchEach)
    .cpu(loss_kernel<MseLossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs&) {
      return (x - t) * (x - t);
    }))
    .samples(LossSamples(-2, 2))
    .rejects(LossRejects("MseLoss"));

}  // namespace sluice
