#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct SmoothL1LossFn {
  static constexpr const char* kAttr = "beta";
  template <class C>
  static SL_INLINE C Apply(C x, C t, C beta) {
    C d = x < t ? t - x : x - t;
    C near = C(0.5) * d * d / beta;
    return d < beta ? near : d - C(0.5) * beta;
  }
};

Status Infer(ShapeContext& c) {
  double beta = c.attr<double>("beta");
  if (!(beta >= 0)) {
    return c.Error(StrCat("beta is ", beta, "; wanted beta >= 0"));
  }
  return loss_shape(c);
}

}  // namespace

SL_OP(SmoothL1Loss)
    .doc(
        "With d = |x - target|: d^2 / (2 beta) where d < beta, else d - beta / "
        "2.")
    .input("x: T")
    .input("target: T")
    .output("loss: T")
    .types("T", kFloats)
    .attr("beta", 1.0,
          "Where the parabola ends; 0 makes it the absolute difference.")
    .attr("reduction", "mean", kReductionDoc)
    .one_of({"none", "mean", "sum"})
    .shape(Infer)
    .grad([](GradContext& g) {
      double beta = g.attr<double>("beta");
      GradVar d = g.in(0) - g.in(1);
      GradVar slope =
          beta > 0 ? g.call("HardTanh", {d / beta}) : g.call("Sign", {d});
      SetOpposite(g, slope * DyOfEach(g));
    })
    .batch(BatchEach)
    .cpu(loss_kernel<SmoothL1LossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs& attrs) {
      double d = std::fabs(x - t), beta = attrs.get<double>("beta");
      return d < beta ? d * d / (2 * beta) : d - beta / 2;
    }))
    .samples(LossSamples(-2, 2, {{"beta", 0.25}}, 0.2) +
             WithNumber("beta", 0.0))
    .rejects(LossRejects("SmoothL1Loss") +
             std::vector<Reject>{
                 {.in = {{2}, {2}},
                  .attrs = {{"beta", -1.0}},
                  .message = "[SmoothL1Loss] beta is -1; wanted beta >= 0"}});
SL_AUTOCAST(SmoothL1Loss, kF32);

}  // namespace sluice
