#include <cmath>

#include "sluice/kernels/cpu/cross_entropy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  return {ref::Build(in[1].shape, [&](const Ints& index) {
    double sum = 0;
    for (int64_t j = 0; j < in[0].shape.dim(1); ++j) {
      sum += std::exp(ref::At(in[0], {index[0], j}));
    }
    auto label = static_cast<int64_t>(ref::At(in[1], index));
    return std::log(sum) - ref::At(in[0], {index[0], label});
  })};
}

}  // namespace

SL_OP(SoftmaxCrossEntropy)
    .doc("-log(softmax(logits)[label]) for each row of logits.")
    .input("logits: T")
    .input("labels: I")
    .output("loss: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .shape(sparse_cross_entropy_shape)
    .grad([](GradContext& g) {
      // The op that computes both gives the derivative along with the loss.
      GradVar in[] = {g.in(0), g.in(1)};
      auto both = g.call_all("SparseSoftmaxCrossEntropy", in);
      GradVar dy = g.call("ExpandDims", {g.dy()}, {{"axis", 1}});
      if (!both.empty()) g.set_dx(0, dy * both[1]);
    })
    .batch(batch_rules::rows<0, 1>)
    .cpu(sparse_cross_entropy_kernel)
    .tolerance(2e-6)
    .reference(Reference)
    .samples(
        {{.in = {{4, 3}, {4}}, .lo = 0, .hi = 2},
         {.in = {{3, 101}, {3}}, .lo = 0, .hi = 20},
         {.in = {{70, 300}, {70}}, .lo = 0, .hi = 5, .only = {DType::kF32}},
         {.in = {{1, 1}, {1}}, .lo = 0, .hi = 0},
         {.in = {{0, 3}, {0}}},
         {.in = {{0, 0}, {0}}}})
    .rejects({{.in = {{2, 3}, Array::Vector<int64_t>({0, 3})},
               .message = "[SoftmaxCrossEntropy] labels[1] is 3; wanted 0 <= "
                          "label < 3"},
              {.in = {{2, 3}, Array::Vector<int32_t>({-1, 0})},
               .message = "[SoftmaxCrossEntropy] labels[0] is -1; wanted"},
              {.in = {{1, 0}, Array::Vector<int64_t>({0})},
               .message = "[SoftmaxCrossEntropy] labels[0] is 0; wanted 0 <= "
                          "label < 0"},
              {.in = {{2, 3}, Array::Vector<int64_t>({0})},
               .message = "[SoftmaxCrossEntropy] counts differ: logits is "
                          "f32[2,3], labels is i64[1]; wanted one label per "
                          "row"},
              {.in = {{3}, Array::Vector<int64_t>({0})},
               .message = "[SoftmaxCrossEntropy] logits is f32[3]; wanted rank "
                          "2"}});
SL_AUTOCAST(SoftmaxCrossEntropy, kF32);

}  // namespace sluice
