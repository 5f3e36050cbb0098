#include "sluice/kernels/cpu/attention.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/attention_reference.h"
#include "sluice/ops/nn/attention_scores.h"

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

// With p = exp(q k' scale + mask - lse), d = sum(dy y) and ds = p (dy v' - d):
// dq = scale ds k, dk = scale ds' q, dv = p' dy.
void Grad(GradContext& g) {
  bool masked = g.num_inputs() > 6;
  AttentionScores a(g, g.in(1), g.in(2), g.in(3), g.in(5),
                    masked ? g.in(6) : GradVar());
  if (!g.status().ok()) return;
  GradVar dy = a.Own(g.in(0)), y = a.Own(g.in(4)), p = a.p();
  GradVar inner = a.Scores(dy, a.v()) - a.SumOfRows(dy * y), ds = p * inner;
  // The gradients for each input; by_ds and by_p are those of ds and p.
  GradVar in[7], by_ds, by_p;
  auto add = [](GradVar& sum, GradVar part) { sum = sum ? sum + part : part; };
  auto own = [&](int i) { return a.Own(g.dy(i)); };
  if (g.has_dy(0)) {
    add(by_ds, a.Scores(own(0) * a.scale(), a.k()));
    add(in[2], a.ToKeys(ds, own(0) * a.scale()));
  }
  if (g.has_dy(1)) {
    add(by_ds, a.Scores(a.q(), own(1)));
    add(in[1], a.ToQueries(ds, own(1)) * a.scale());
  }
  if (g.has_dy(2)) {
    add(by_p, a.Scores(dy, own(2)));
    add(in[0], a.ToQueries(p, own(2)));
  }
  if (by_ds) {
    GradVar flow = by_ds * p, total = -a.SumOfRows(flow);
    add(by_p, by_ds * inner);
    add(in[0], a.ToQueries(flow, a.v()) + total * y);
    add(in[3], a.ToKeys(flow, dy));
    in[4] = total * dy;
  }
  GradVar by_score = by_p * p;
  add(in[1], a.ToQueries(by_score, a.k()) * a.scale());
  add(in[2], a.ToKeys(by_score, a.q()));
  in[5] = g.reshape_as(-a.SumOfRows(by_score), g.in(5));
  if (masked) in[6] = g.sum_to(by_score, g.in(6));
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.set_dx(i, g.cast(in[i], g.in(i).dtype()));
  }
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
    .grad(Grad)
    .batch([](BatchContext& b) {
      if (b.num_inputs() != 6 || b.rank(0) < 2) return false;
      return b.set_all(b.all_full());
    })
    .cpu(attention_grad_kernel)
    .cpu_workspace(attention_grad_workspace)
    .cost(attention_grad_cost)
    .internal()
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
         {.in = {{2, 2, 3},
                 {2, 2, 3},
                 {1, 3, 3},
                 {1, 3, 3},
                 {2, 2, 3},
                 {2, 2},
                 Array::Of<float>({2, 3}, {kNo, 1, 0.5f, -1, kNo, kNo})},
          .lo = -1,
          .hi = 1,
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
