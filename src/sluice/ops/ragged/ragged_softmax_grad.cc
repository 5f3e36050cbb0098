// RaggedSoftmaxGrad and RaggedLogSoftmaxGrad.
#include "sluice/ops/family.h"
#include "sluice/ops/ragged/softmax_rows.h"

namespace sluice {
namespace {

OpDefinition& RaggedNormalisedGrad(OpDefinition&& op, std::string_view name) {
  return op.input("dy: T")
      .input("y: T")
      .input("splits: i64")
      .output("dx: T")
      .types("T", kFloats)
      .shape(ragged::SoftmaxShape)
      .in_place()
      .internal()
      .tolerance(4e-6)
      .samples(ragged::SoftmaxSamples(2))
      .rejects(ragged::operator+(
          ragged::SoftmaxRejects(name, 2, "dy"),
          {{.in = {{2}, {3}, ragged::Splits({0, 2})},
            .message = StrCat("[", name,
                              "] shapes differ: dy is f32[2], y is "
                              "f32[3]; wanted equal shapes")}}));
}

}  // namespace

SL_OP_OF(RaggedSoftmaxGrad, RaggedNormalisedGrad)
    .doc(
        "The gradient of y = ragged_softmax(x): y (dy - sum(dy y)), summed "
        "along each row.")
    .grad([](GradContext& g) {
      GradVar u = g.dy(), dy = g.in(0), y = g.in(1), splits = g.in(2);
      if (g.wants(0)) {
        g.set_dx(0, g.call("RaggedSoftmaxGrad", {u, y, splits}));
      }
      if (!g.wants(1)) return;
      GradVar dot = ragged::RowSums(g, dy * y, splits);
      GradVar up = ragged::RowSums(g, u * y, splits);
      g.set_dx(1, u * (dy - dot) - dy * up);
    })
    .cpu(ragged::SoftmaxKernel<softmax::SoftmaxGradRows,
                               softmax::SoftmaxGradColumns>)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return ragged::ByRow(in[1], in[2], [&](const Ints& at, const auto& row) {
        double sum = 0;
        for (const Ints& i : row) sum += ref::At(in[0], i) * ref::At(in[1], i);
        return ref::At(in[1], at) * (ref::At(in[0], at) - sum);
      });
    });

SL_OP_OF(RaggedLogSoftmaxGrad, RaggedNormalisedGrad)
    .doc(
        "The gradient of y = ragged_log_softmax(x): dy - exp(y) sum(dy), "
        "summed along each row.")
    .grad([](GradContext& g) {
      GradVar u = g.dy(), splits = g.in(2), part = u * g.call("Exp", {g.in(1)});
      if (g.wants(0)) g.set_dx(0, u - ragged::RowSums(g, part, splits));
      if (g.wants(1)) {
        g.set_dx(1, -(part * ragged::RowSums(g, g.in(0), splits)));
      }
    })
    .cpu(ragged::SoftmaxKernel<softmax::LogSoftmaxGradRows,
                               softmax::LogSoftmaxGradColumns>)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return ragged::ByRow(in[1], in[2], [&](const Ints& at, const auto& row) {
        double sum = 0;
        for (const Ints& i : row) sum += ref::At(in[0], i);
        return ref::At(in[0], at) - std::exp(ref::At(in[1], at)) * sum;
      });
    });

}  // namespace sluice
