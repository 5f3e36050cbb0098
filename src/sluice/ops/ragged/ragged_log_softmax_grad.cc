#include "sluice/ops/ragged/softmax_rows.h"

namespace sluice {

SL_OP(RaggedLogSoftmaxGrad)
    .doc(
        "The gradient of y = ragged_log_softmax(x): dy - exp(y) sum(dy), "
        "summed along each row.")
    .input("dy: T")
    .input("y: T")
    .input("splits: i64")
    .output("dx: T")
    .types("T", kFloats)
    .shape(ragged::SoftmaxShape)
    .grad([](GradContext& g) {
      GradVar u = g.dy(), splits = g.in(2), part = u * g.call("Exp", {g.in(1)});
      if (g.wants(0)) g.set_dx(0, u - ragged::RowSums(g, part, splits));
      if (g.wants(1)) {
        g.set_dx(1, -(part * ragged::RowSums(g, g.in(0), splits)));
      }
    })
    .cpu(ragged::SoftmaxKernel<softmax::LogSoftmaxGradRows,
                               softmax::LogSoftmaxGradColumns>)
    .in_place()
    .internal()
    .tolerance(4e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return ragged::ByRow(in[1], in[2], [&](const Ints& at, const auto& row) {
        double sum = 0;
        for (const Ints& i : row) sum += ref::At(in[0], i);
        return ref::At(in[0], at) - std::exp(ref::At(in[1], at)) * sum;
      });
    })
    .samples(ragged::SoftmaxSamples(2))
    .rejects(ragged::operator+(
        ragged::SoftmaxRejects("RaggedLogSoftmaxGrad", 2, "dy"),
        {{.in = {{2}, {3}, ragged::Splits({0, 2})},
          .message = "[RaggedLogSoftmaxGrad] shapes differ: dy is f32[2], y "
                     "is f32[3]; wanted equal shapes"}}));

}  // namespace sluice
