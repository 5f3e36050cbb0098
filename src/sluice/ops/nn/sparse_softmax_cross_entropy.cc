#include <cmath>

#include "sluice/kernels/cpu/cross_entropy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t classes = in[0].shape.dim(1);
  auto ignored = static_cast<double>(attrs.get<int64_t>("ignore_index"));
  auto sum = [&](int64_t row) {
    double total = 0;
    for (int64_t j = 0; j < classes; ++j) {
      total += std::exp(ref::At(in[0], {row, j}));
    }
    return total;
  };
  RefArray loss = ref::Build(in[1].shape, [&](const Ints& at) {
    double label = ref::At(in[1], at);
    if (label == ignored) return 0.0;
    return std::log(sum(at[0])) -
           ref::At(in[0], {at[0], static_cast<int64_t>(label)});
  });
  RefArray backprop = ref::Build(in[0].shape, [&](const Ints& at) {
    double label = ref::At(in[1], {at[0]});
    if (label == ignored) return 0.0;
    return std::exp(ref::At(in[0], at)) / sum(at[0]) -
           (static_cast<double>(at[1]) == label ? 1 : 0);
  });
  return {loss, backprop};
}

void Grad(GradContext& g) {
  GradVar logits = g.in(0), dx;
  if (g.has_dy(0)) {
    // Rows left out are 0, also where a mean over none of them is infinite.
    dx = g.call("MulNoNan",
                {g.out(1), g.call("ExpandDims", {g.dy(0)}, {{"axis", 1}})});
  }
  if (g.has_dy(1)) {
    // backprop is softmax(logits) less a constant, and 0 in rows left out.
    GradVar labels = g.in(1);
    auto ignored = static_cast<double>(g.attr<int64_t>("ignore_index"));
    GradVar counts =
        g.call("NotEqual", {labels, g.scalar(ignored, labels.dtype())});
    counts = g.call("ExpandDims", {counts}, {{"axis", 1}});
    GradVar u =
        g.call("Select", {counts, g.dy(1), g.scalar(0, logits.dtype())});
    GradVar part = g.call("SoftmaxGrad", {u, g.call("Softmax", {logits})});
    dx = dx ? dx + part : part;
  }
  g.set_dx(0, dx);
}

}  // namespace

SL_OP(SparseSoftmaxCrossEntropy)
    .doc(
        "-log(softmax(logits)[label]) for each row of logits, and its gradient "
        "by the logits, softmax(logits) - one_hot(label), from the same pass. "
        "A label of ignore_index costs nothing.")
    .input("logits: T")
    .input("labels: I")
    .output("loss: T")
    .output("backprop: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .attr("ignore_index", -100, "The label of rows to leave out.")
    .shape(sparse_cross_entropy_shape)
    .grad(Grad)
    .batch(batch_rules::rows<0, 1>)
    .cpu(sparse_cross_entropy_kernel)
    .tolerance(3e-6)
    .reference(Reference)
    .samples(
        {{.in = {{4, 3}, {4}}, .lo = 0, .hi = 2},
         {.in = {{3, 101}, {3}}, .lo = 0, .hi = 20},
         {.in = {{70, 300}, {70}}, .lo = 0, .hi = 5, .only = {DType::kF32}},
         {.in = {{3, 2}, Array::Vector<int64_t>({1, -100, 0})}},
         {.in = {{2, 3}, Array::Vector<int32_t>({2, 1})},
          .attrs = {{"ignore_index", 2}}},
         {.in = {{0, 3}, {0}}},
         {.in = {{0, 0}, {0}}},
         {.in = {{2, 0}, Array::Vector<int64_t>({-1, -1})},
          .attrs = {{"ignore_index", -1}}}})
    .rejects({{.in = {{2, 3}, Array::Vector<int64_t>({0, 3})},
               .message = "[SparseSoftmaxCrossEntropy] labels[1] is 3; wanted "
                          "0 <= label < 3 or -100"},
              {.in = {{2, 3}, Array::Vector<int32_t>({-1, 0})},
               .message = "[SparseSoftmaxCrossEntropy] labels[0] is -1; "
                          "wanted"},
              {.in = {{2, 3}, Array::Vector<int64_t>({0})},
               .message = "[SparseSoftmaxCrossEntropy] counts differ: logits "
                          "is f32[2,3], labels is i64[1]"},
              {.in = {{3}, Array::Vector<int64_t>({0})},
               .message = "[SparseSoftmaxCrossEntropy] logits is f32[3]; "
                          "wanted rank 2"}});
SL_AUTOCAST(SparseSoftmaxCrossEntropy, kF32);

}  // namespace sluice
