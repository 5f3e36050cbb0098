#include <cmath>

#include "sluice/kernels/cpu/cross_entropy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"

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
                          "wanted rank 2"},
              {.in = {{2, 3}, Array::Zeros(DType::kI32, {2, 3})},
               .message = "[SoftmaxCrossEntropyWithLogits] labels is i32; "
                          "wanted f32"}});

}  // namespace sluice
