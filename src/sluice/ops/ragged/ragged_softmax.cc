// RaggedSoftmax and RaggedLogSoftmax.
#include "sluice/ops/family.h"
#include "sluice/ops/ragged/softmax_rows.h"

namespace sluice {
namespace {

OpDefinition& RaggedNormalised(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .input("splits: i64")
      .output("y: T")
      .types("T", kFloats)
      .shape(ragged::SoftmaxShape)
      .in_place()
      .tolerance(2e-6)
      .samples(ragged::SoftmaxSamples(1))
      .rejects(ragged::SoftmaxRejects(name, 1, "x"));
}

}  // namespace

SL_OP_OF(RaggedSoftmax, RaggedNormalised)
    .doc(
        "exp(x) scaled so that it sums to 1 along each row of a ragged array "
        "(and for every place of the further axes by itself).")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("RaggedSoftmaxGrad", {g.dy(), g.out(), g.in(1)}));
    })
    .cpu(ragged::SoftmaxKernel<softmax::SoftmaxRows, softmax::SoftmaxColumns>)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return ragged::ByRow(in[0], in[1], [&](const Ints& at, const auto& row) {
        return std::exp(ref::At(in[0], at) - ragged::RefLogSumExp(in[0], row));
      });
    });

SL_OP_OF(RaggedLogSoftmax, RaggedNormalised)
    .doc("The logarithm of softmax along each row of a ragged array.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("RaggedLogSoftmaxGrad", {g.dy(), g.out(), g.in(1)}));
    })
    .cpu(ragged::SoftmaxKernel<softmax::LogSoftmaxRows,
                               softmax::LogSoftmaxColumns>)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return ragged::ByRow(in[0], in[1], [&](const Ints& at, const auto& row) {
        return ref::At(in[0], at) - ragged::RefLogSumExp(in[0], row);
      });
    });

}  // namespace sluice
