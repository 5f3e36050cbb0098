#include "sluice/kernels/cpu/attention.h"
#include "sluice/op/record.h"
#include "sluice/ops/nn/attention_reference.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray &dy = in[0], &y = in[4], &lse = in[5];
  ref::Attention a(in[1], in[2], in[3], in.size() > 6 ? &in[6] : nullptr,
                   attrs);
  auto zeros = [](const RefArray& like) {
    return RefArray{like.shape, std::vector<double>(like.v.size())};
  };
  RefArray dq = zeros(in[1]), dk = zeros(in[2]), dv = zeros(in[3]);
  for (int64_t h = 0; h < a.heads; ++h) {
    for (int64_t i = 0; i < a.queries; ++i) {
      auto row = static_cast<size_t>(h * a.queries + i);
      auto at = [&](const RefArray& of, int64_t c) {
        return of
            .v[row * static_cast<size_t>(a.values) + static_cast<size_t>(c)];
      };
      double d = 0;
      for (int64_t c = 0; c < a.values; ++c) d += at(dy, c) * at(y, c);
      for (int64_t j = 0; j < a.keys; ++j) {
        double score = a.Score(h, i, j);
        double p = std::isinf(score) ? 0 : std::exp(score - lse.v[row]);
        auto key = static_cast<size_t>(a.Kv(h) * a.keys + j);
        double dp = 0;
        for (int64_t c = 0; c < a.values; ++c) {
          dp += at(dy, c) * a.V(h, j, c);
          dv.v[key * static_cast<size_t>(a.values) + static_cast<size_t>(c)] +=
              p * at(dy, c);
        }
        double ds = p * (dp - d) * a.Scale();
        for (int64_t c = 0; c < a.depth; ++c) {
          auto column = static_cast<size_t>(c);
          dq.v[row * static_cast<size_t>(a.depth) + column] +=
              ds * a.K(h, j, c);
          dk.v[key * static_cast<size_t>(a.depth) + column] +=
              ds * a.Q(h, i, c);
        }
      }
    }
  }
  return {dq, dk, dv};
}

constexpr float kNo = -std::numeric_limits<float>::infinity();

}  // namespace

SL_OP(AttentionGrad)
    .doc(
        "The gradients of Attention by q, k and v, from its results y and "
        "lse.")
    .input("dy: T")
    .input("q: T")
    .input("k: T")
    .input("v: T")
    .input("y: T")
    .input("lse: S")
    .input("mask: M*")
    .output("dq: T")
    .output("dk: T")
    .output("dv: T")
    .types("T", kFloats)
    .types("S", {DType::kF32, DType::kF64})
    .types("M", {DType::kBool, DType::kF32})
    .attr("causal", false, "Query i sees keys 0 to i only.")
    .attr("scale", 0.0, "What scores are multiplied by; 0: 1 / sqrt(depth).")
    .shape(attention_grad_shape)
    .cpu(attention_grad_kernel)
    .cpu_workspace(attention_grad_workspace)
    .cost(attention_grad_cost)
    .tolerance(2e-5)
    .reference(Reference)
    .samples(
        {{.in = {{3, 2}, {3, 4}, {5, 4}, {5, 2}, {3, 2}, {3}}},
         {.in = {{2, 3, 2},
                 {2, 3, 4},
                 {2, 5, 4},
                 {2, 5, 2},
                 {2, 3, 2},
                 {2, 3},
                 {3, 5}},
          .lo = -1,
          .hi = 1},
         {.in = {{2, 4, 3, 3},
                 {2, 4, 3, 2},
                 {2, 2, 5, 2},
                 {2, 2, 5, 3},
                 {2, 4, 3, 3},
                 {2, 4, 3},
                 {2, 1, 3, 5}},
          .attrs = {{"scale", 0.5}},
          .lo = -1,
          .hi = 1},
         {.in = {{2, 20, 5},
                 {2, 20, 5},
                 {2, 20, 5},
                 {2, 20, 5},
                 {2, 20, 5},
                 {2, 20}},
          .attrs = {{"causal", true}},
          .lo = -1,
          .hi = 1},
         {.in = {{1, 150, 20},
                 {1, 150, 16},
                 {1, 110, 16},
                 {1, 110, 20},
                 {1, 150, 20},
                 {1, 150}},
          .attrs = {{"causal", true}},
          .lo = 0,
          .hi = 0.5,
          .only = {DType::kF32}},
         {.in = {{2, 3},
                 {2, 3},
                 {2, 3},
                 {2, 3},
                 {2, 3},
                 Array::Vector<float>({kNo, 1}),
                 Array::Of<float>({2, 2}, {kNo, kNo, 0, kNo})},
          .only = {DType::kF32}},
         {.in =
              {{2, 0, 2}, {2, 0, 4}, {2, 3, 4}, {2, 3, 2}, {2, 0, 2}, {2, 0}}},
         {.in = {{2, 3}, {2, 4}, {0, 4}, {0, 3}, {2, 3}, {2}}},
         {.in = {{2, 2}, {2, 0}, {3, 0}, {3, 2}, {2, 2}, {2}}},
         {.in =
              {{0, 3, 2}, {0, 3, 4}, {0, 3, 4}, {0, 3, 2}, {0, 3, 2}, {0, 3}}}})
    .rejects(
        {{.in = {{2}, {4}, {5, 4}, {5, 2}, {2}, {2}},
          .message = "[AttentionGrad] q is f32[4]; wanted rank 2 or more"},
         {.in = {{3, 3}, {3, 4}, {5, 4}, {5, 2}, {3, 2}, {3}},
          .message = "[AttentionGrad] dy is f32[3,3]; wanted shape [3,2]"},
         {.in = {{3, 2}, {3, 4}, {5, 4}, {5, 2}, {3, 3}, {3}},
          .message = "[AttentionGrad] y is f32[3,3]; wanted shape [3,2]"},
         {.in = {{3, 2}, {3, 4}, {5, 4}, {5, 2}, {3, 2}, {4}},
          .message = "[AttentionGrad] lse is f32[4]; wanted shape [3]"},
         {.in = {{3, 2}, {3, 4}, {5, 4}, {5, 2}, {3, 2}, {3}, {5, 5}},
          .message = "[AttentionGrad] mask[0] is f32[5,5]; wanted a shape that "
                     "broadcasts to [3,5]"}});

}  // namespace sluice
