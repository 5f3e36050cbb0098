#include <cmath>

#include "sluice/kernels/cpu/cross_entropy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  const RefArray &x = in[0], &p = in[1];
  int64_t classes = x.shape.dim(1);
  auto sum = [&](int64_t row) {
    double total = 0;
    for (int64_t j = 0; j < classes; ++j) {
      total += std::exp(ref::At(x, {row, j}));
    }
    return total;
  };
  RefArray loss =
      ref::Build(ref::MakeShape({x.shape.dim(0)}), [&](const Ints& at) {
        double total = 0;
        for (int64_t j = 0; j < classes; ++j) {
          total += ref::At(p, {at[0], j}) *
                   (std::log(sum(at[0])) - ref::At(x, {at[0], j}));
        }
        return total;
      });
  RefArray backprop = ref::Build(x.shape, [&](const Ints& at) {
    double weight = 0;
    for (int64_t j = 0; j < classes; ++j) weight += ref::At(p, {at[0], j});
    return std::exp(ref::At(x, at)) / sum(at[0]) * weight - ref::At(p, at);
  });
  return {loss, backprop};
}

// loss = -sum(labels log(softmax)), backprop = softmax sum(labels) - labels.
void Grad(GradContext& g) {
  GradVar logits = g.in(0), labels = g.in(1), dlogits, dlabels;
  Attrs rows = {{"axes", Ints{1}}, {"keep_dims", true}};
  auto add = [](GradVar& sum, GradVar part) { sum = sum ? sum + part : part; };
  if (g.has_dy(0)) {
    GradVar dy = g.call("ExpandDims", {g.dy(0)}, {{"axis", 1}});
    if (g.wants(0)) add(dlogits, dy * g.out(1));
    if (g.wants(1)) add(dlabels, -(dy * g.call("LogSoftmax", {logits})));
  }
  if (g.has_dy(1)) {
    GradVar y = g.call("Softmax", {logits}), u = g.dy(1);
    if (g.wants(0)) {
      GradVar weight = g.call("Sum", {labels}, rows);
      add(dlogits, g.call("SoftmaxGrad", {u, y}) * weight);
    }
    if (g.wants(1)) add(dlabels, g.call("Sum", {u * y}, rows) - u);
  }
  g.set_dx(0, dlogits);
  g.set_dx(1, dlabels);
}

}  // namespace

SL_OP(SoftmaxCrossEntropyWithLogits)
    .doc(
        "-sum(labels log(softmax(logits))) for each row, where labels are "
        "probabilities, and its gradient by the logits from the same pass.")
    .input("logits: T")
    .input("labels: T")
    .output("loss: T")
    .output("backprop: T")
    .types("T", kFloats)
    .shape(dense_cross_entropy_shape)
    .grad(Grad)
    .batch(batch_rules::rows<0, 1>)
    .cpu(dense_cross_entropy_kernel)
    .tolerance(5e-6)
    .reference(Reference)
    .samples({{.in = {{4, 3}, {4, 3}}, .lo = 0, .hi = 1},
              {.in = {{3, 101}, {3, 101}},
               .lo = 0,
               .hi = 0.1,
               .only = {DType::kF32, DType::kF64}},
              {.in = {{70, 300}, {70, 300}},
               .lo = 0,
               .hi = 0.01,
               .only = {DType::kF32}},
              {.in = {{0, 3}, {0, 3}}},
              {.in = {{2, 0}, {2, 0}}}})
    .rejects({{.in = {{2, 3}, {2, 4}},
               .message = "[SoftmaxCrossEntropyWithLogits] shapes differ: "
                          "logits is f32[2,3], labels is f32[2,4]"},
              {.in = {{3}, {3}},
               .message = "[SoftmaxCrossEntropyWithLogits] logits is f32[3]; "
                          "wanted rank 2"}});
SL_AUTOCAST(SoftmaxCrossEntropyWithLogits, kF32);

}  // namespace sluice
