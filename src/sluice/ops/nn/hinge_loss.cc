#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct HingeLossFn {
  static constexpr const char* kAttr = "margin";
  template <class C>
  static SL_INLINE C Apply(C x, C t, C margin) {
    C y = MulAdd(-x, t, margin);
    return y < 0 ? C(0) : y;
  }
};

}  // namespace

SL_OP(HingeLoss)
    .doc("max(0, margin - x target), for targets of 1 and -1.")
    .input("x: T")
    .input("target: T")
    .output("loss: T")
    .types("T", kFloats)
    .attr("margin", 1.0, "How far on the right side costs nothing.")
    .attr("reduction", "mean", kReductionDoc)
    .one_of({"none", "mean", "sum"})
    .shape(loss_shape)
    .grad([](GradContext& g) {
      GradVar x = g.in(0), t = g.in(1), dy = DyOfEach(g);
      GradVar zero = g.scalar(0, x.dtype());
      GradVar margin = g.scalar(g.attr<double>("margin"), x.dtype());
      GradVar costs = g.call("Less", {x * t, margin});
      auto slope = [&](GradVar of) {
        return -g.call("Select", {costs, of * dy, zero});
      };
      if (g.wants(0)) g.set_dx(0, slope(t));
      if (g.wants(1)) g.set_dx(1, slope(x));
    })
    .batch(BatchEach)
    .cpu(loss_kernel<HingeLossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs& attrs) {
      double y = attrs.get<double>("margin") - x * t;
      return y < 0 ? 0 : y;
    }))
    .samples(LossSamples(-2, 2, {{"margin", 0.25}}))
    .rejects(LossRejects("HingeLoss"));
SL_AUTOCAST(HingeLoss, kF32);

}  // namespace sluice
