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

}  // namespace

SL_OP(BceLoss)
    .doc(
        "Binary cross entropy of probabilities x: -(target log(x) + (1 - "
        "target) log(1 - x)), logarithms not below -100.")
    .input("x: T")
    .input("target: T")
    .output("loss: T")
    .types("T", kFloats)
    .attr("reduction", "mean", kReductionDoc)
    .one_of({"none", "mean", "sum"})
    .shape(loss_shape)
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
                                  .attrs = {{"reduction", "none"}}}})
    .rejects(LossRejects("BceLoss"));

}  // namespace sluice
