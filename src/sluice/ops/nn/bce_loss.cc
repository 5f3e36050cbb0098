#include "sluice/op/autocast_rule.h"
#include "sluice/ops/nn/loss_op.h"

namespace sluice {
namespace {

struct BceLossFn {
  template <class C>
  static SL_INLINE C Apply(C x, C t, C) {
    C a = vmath::Log(x), b = vmath::Log1p(-x);
    a = a < -100 ? C(-100) : a;
    b = b < -100 ? C(-100) : b;
    return -MulAdd(t, a - b, b);
  }
};

// (x - t) / (x (1 - x)), bounded as in PyTorch: a wrong certain prediction
// still has a gradient.
void Grad(GradContext& g) {
  GradVar x = g.in(0), t = g.in(1), dy = DyOfEach(g);
  GradVar zero = g.scalar(0, x.dtype()), one = g.scalar(1, x.dtype());
  GradVar rest = 1.0 - x;
  if (g.wants(0)) {
    // The smallest f16 is larger.
    double bound = x.dtype() == DType::kF16 ? 6e-8 : 1e-12;
    GradVar least = g.scalar(bound, x.dtype());
    GradVar width = g.call("Maximum", {x * rest, least});
    g.set_dx(0, (x - t) / width * dy);
  }
  if (g.wants(1)) {
    GradVar floor = g.scalar(-100, x.dtype());
    GradVar least = g.scalar(std::exp(-100.0), x.dtype());
    GradVar held_x = g.call("LessEqual", {x, least});
    GradVar held_rest = g.call("LessEqual", {rest, least});
    auto log = [&](GradVar held, const char* op, GradVar safe, GradVar of) {
      GradVar y = g.call(op, {g.call("Select", {held, safe, of})});
      return g.call("Select", {held, floor, y});
    };
    GradVar a = log(held_x, "Log", one, x);
    g.set_dx(1, (log(held_rest, "Log1p", zero, -x) - a) * dy);
  }
}

}  // namespace

SL_OP_OF(BceLoss, ElementLoss)
    .doc(
        "Binary cross entropy of probabilities x: -(target log(x) + (1 - "
        "target) log(1 - x)), logarithms not below -100.")
    .grad(Grad)
    .batch(BatchEach)
    .cpu(loss_kernel<BceLossFn>)
    .tolerance(5e-06)
    .reference(LossReference([](double x, double t, const Attrs&) {
      double a = std::max(std::log(x), -100.0);
      double b = std::max(std::log1p(-x), -100.0);
      return -(t * a + (1 - t) * b);
    }))
    .samples(LossSamples(0, 1) +
             std::vector<Sample>{{.in = {Array::Vector<float>({0, 1, 0, 1}),
                                         Array::Vector<float>({0, 1, 1, 0})},
                                  .attrs = {{"reduction", "none"}}}});
SL_AUTOCAST(BceLoss, kF32);

}  // namespace sluice
