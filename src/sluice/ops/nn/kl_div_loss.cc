#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct KlDivLossFn {
  template <class C>
  static SL_INLINE C Apply(C x, C t, C) {
    C log = vmath::Log(t);
    return t == 0 ? C(0) : t * (log - x);
  }
};

}  // namespace

SL_OP(KlDivLoss)
    .doc(
        "The divergence of the distribution target from that whose logarithm "
        "is x: target (log(target) - x), 0 where target is 0.")
    .input("x: T")
    .input("target: T")
    .output("loss: T")
    .types("T", kFloats)
    .attr("reduction", "mean",
          "none: one number per element; mean, sum: one for all; batchmean: "
          "the sum divided by the size of axis 0.")
    .one_of({"none", "mean", "sum", "batchmean"})
    .shape(loss_shape)
    .grad([](GradContext& g) {
      GradVar x = g.in(0), t = g.in(1), dy = DyOfEach(g);
      if (g.wants(0)) g.set_dx(0, -(t * dy));
      if (!g.wants(1)) return;
      // A target of 0 costs nothing; its infinite derivative is taken as 0.
      GradVar zero = g.scalar(0, t.dtype()), one = g.scalar(1, t.dtype());
      GradVar none = g.call("Equal", {t, zero});
      GradVar log = g.call("Log", {g.call("Select", {none, one, t})});
      g.set_dx(1, g.call("Select", {none, zero, (log + 1.0 - x) * dy}));
    })
    .batch(BatchEach)
    .cpu(loss_kernel<KlDivLossFn>)
    .tolerance(3e-06)
    .reference(LossReference([](double x, double t, const Attrs&) {
      return t == 0 ? 0 : t * (std::log(t) - x);
    }))
    .samples(LossSamples(0, 1) +
             std::vector<Sample>{{.in = {{3, 5}, {3, 5}},
                                  .attrs = {{"reduction", "batchmean"}},
                                  .lo = 0,
                                  .hi = 1},
                                 {.in = {Array::Vector<float>({1, 2}),
                                         Array::Vector<float>({0, 0.5f})}}})
    .rejects(LossRejects("KlDivLoss") +
             std::vector<Reject>{
                 {.in = {Shape(), Shape()},
                  .attrs = {{"reduction", "batchmean"}},
                  .message = "[KlDivLoss] x is f32[]; wanted rank 1 or more"}});
SL_AUTOCAST(KlDivLoss, kF32);

}  // namespace sluice
