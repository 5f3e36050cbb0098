#include "sluice/ops/ragged/softmax_rows.h"

namespace sluice {

SL_OP(RaggedSoftmax)
    .doc(
        "exp(x) scaled so that it sums to 1 along each row of a ragged array "
        "(and for every place of the further axes by itself).")
    .input("x: T")
    .input("splits: i64")
    .output("y: T")
    .types("T", kFloats)
    .shape(ragged::SoftmaxShape)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("RaggedSoftmaxGrad", {g.dy(), g.out(), g.in(1)}));
    })
    .cpu(ragged::SoftmaxKernel<softmax::SoftmaxRows, softmax::SoftmaxColumns>)
    .in_place()
    .tolerance(2e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return ragged::ByRow(in[0], in[1], [&](const Ints& at, const auto& row) {
        return std::exp(ref::At(in[0], at) - ragged::RefLogSumExp(in[0], row));
      });
    })
    .samples(ragged::SoftmaxSamples(1))
    .rejects(ragged::SoftmaxRejects("RaggedSoftmax", 1, "x"));

}  // namespace sluice
