#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct HuberLossFn {
  static constexpr const char* kAttr = "delta";
  template <class C>
  static SL_INLINE C Apply(C x, C t, C delta) {
    C d = x < t ? t - x : x - t;
    return d <= delta ? C(0.5) * d * d : delta * (d - C(0.5) * delta);
  }
};

Status Infer(ShapeContext& c) {
  double delta = c.attr<double>("delta");
  if (!(delta > 0)) {
    return c.Error(StrCat("delta is ", delta, "; wanted delta > 0"));
  }
  return loss_shape(c);
}

}  // namespace

SL_OP(HuberLoss)
    .doc(
        "With d = |x - target|: d^2 / 2 where d <= delta, else delta (d - "
        "delta / 2).")
    .input("x: T")
    .input("target: T")
    .output("loss: T")
    .types("T", kFloats)
    .attr("delta", 1.0, "Where the parabola ends.")
    .attr("reduction", "mean", kReductionDoc)
    .one_of({"none", "mean", "sum"})
    .shape(Infer)
    .grad([](GradContext& g) {
      double delta = g.attr<double>("delta");
      GradVar slope = g.call("HardTanh", {g.in(0) - g.in(1)},
                             {{"min", -delta}, {"max", delta}});
      SetOpposite(g, slope * DyOfEach(g));
    })
    .batch(BatchEach)
    .decompose([](DecomposeContext& d) {
      double delta = d.attr<double>("delta");
      RuleVar distance = d.call("Abs", {d.in(0) - d.in(1)});
      RuleVar near =
          d.call("LessEqual", {distance, d.scalar(delta, distance.dtype())});
      SetReduced(d, d.call("Select", {near, 0.5 * distance * distance,
                                      delta * (distance - 0.5 * delta)}));
    })
    .cpu(loss_kernel<HuberLossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs& attrs) {
      double d = std::fabs(x - t), delta = attrs.get<double>("delta");
      return d <= delta ? d * d / 2 : delta * (d - delta / 2);
    }))
    .samples(LossSamples(-2, 2, {{"delta", 0.25}}, 0.2))
    .rejects(LossRejects("HuberLoss") +
             std::vector<Reject>{
                 {.in = {{2}, {2}},
                  .attrs = {{"delta", 0.0}},
                  .message = "[HuberLoss] delta is 0; wanted delta > 0"}});
SL_AUTOCAST(HuberLoss, kF32);

}  // namespace sluice
