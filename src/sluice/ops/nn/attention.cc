#include "sluice/kernels/cpu/attention.h"

#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/attention_reference.h"
#include "sluice/ops/nn/attention_scores.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  ref::Attention a(in[0], in[1], in[2], in.size() > 3 ? &in[3] : nullptr,
                   attrs);
  Ints dims = ref::DimsOf(in[0].shape);
  dims.back() = a.values;
  RefArray y{ref::MakeShape(dims), {}};
  dims.pop_back();
  RefArray lse{ref::MakeShape(dims), {}};
  for (int64_t h = 0; h < a.heads; ++h) {
    for (int64_t i = 0; i < a.queries; ++i) {
      double sum = 0;
      std::vector<double> row(static_cast<size_t>(a.values));
      for (int64_t j = 0; j < a.keys; ++j) {
        double p = std::exp(a.Score(h, i, j));
        sum += p;
        for (int64_t c = 0; c < a.values; ++c) {
          row[static_cast<size_t>(c)] += p * a.V(h, j, c);
        }
      }
      for (double v : row) y.v.push_back(sum == 0 ? 0 : v / sum);
      lse.v.push_back(std::log(sum));
    }
  }
  return {y, lse};
}

// Without the exponentials, which the cost includes: every query with every
// key, then with every value.
double Flops(const ShapeContext& c) {
  const PartialShape &q = c.in(0), &k = c.in(1), &v = c.in(2);
  double work = 2;
  for (int i = 0; i + 1 < q.rank(); ++i) work *= static_cast<double>(q[i]);
  return work * static_cast<double>(k[k.rank() - 2]) *
         static_cast<double>(q[q.rank() - 1] + v[v.rank() - 1]);
}

void Grad(GradContext& g) {
  bool masked = g.num_inputs() > 3;
  GradVar dx[3];
  if (g.has_dy(0)) {
    std::vector<GradVar> in = {g.dy(0), g.in(0),  g.in(1),
                               g.in(2), g.out(0), g.out(1)};
    if (masked) in.push_back(g.in(3));
    GradVars made = g.call_all("AttentionGrad", in, g.attrs());
    for (size_t i = 0; i < made.size(); ++i) dx[i] = made[i];
  }
  if (g.has_dy(1) || (masked && g.wants(3))) {
    AttentionScores a(g, g.in(0), g.in(1), g.in(2), g.out(1),
                      masked ? g.in(3) : GradVar());
    GradVar ds;
    if (g.has_dy(1) && g.status().ok()) {
      ds = a.FromLse(g.dy(1));
      GradVar parts[] = {a.ToQueries(ds, a.k()) * a.scale(),
                         a.ToKeys(ds, a.q())};
      for (int i = 0; i < 2; ++i) {
        GradVar part = g.cast(parts[i], g.in(i).dtype());
        dx[i] = dx[i] ? dx[i] + part : part;
      }
    }
    if (masked && g.wants(3) && g.status().ok()) {
      if (g.has_dy(0)) {
        GradVar part = a.FromY(a.Own(g.dy(0)), a.Own(g.out(0)));
        ds = ds ? ds + part : part;
      }
      g.set_dx(3, g.cast(g.sum_to(ds, g.in(3)), g.in(3).dtype()));
    }
  }
  for (int i = 0; i < 3; ++i) g.set_dx(i, dx[i]);
}

constexpr float kNo = -std::numeric_limits<float>::infinity();

}  // namespace

SL_OP(Attention)
    .doc(
        "Scaled dot product attention: softmax(q k' scale + mask) v for every "
        "head, and the logarithm of each query's sum of exponentials, which "
        "the gradient needs. q is [..., heads, queries, depth], k and v are "
        "[..., heads, keys, depth or values]; k and v may have fewer heads, "
        "each for as many of q's. The mask broadcasts to [..., heads, queries, "
        "keys]: bool says who is seen, f32 is added. A query that sees no key "
        "gets zeros (and -infinity).")
    .input("q: T")
    .input("k: T")
    .input("v: T")
    .input("mask: M*")
    .output("y: T")
    .output("lse: compute(T)")
    .types("T", kFloats)
    .types("M", {DType::kBool, DType::kF32})
    .attr("causal", false, "Query i sees keys 0 to i only.")
    .attr("scale", 0.0, "What scores are multiplied by; 0: 1 / sqrt(depth).")
    .shape(attention_shape)
    .grad(Grad)
    .batch([](BatchContext& b) {
      // Queries, keys and values of each lane are separate; masks may broadcast
      // in ways that leading lanes would change.
      return b.num_inputs() == 3 && batch_rules::leading(b);
    })
    .cpu(attention_kernel)
    .cpu_workspace(attention_workspace)
    .cost(attention_cost)
    .flops(Flops)
    .tolerance(5e-6)
    .reference(Reference)
    .samples({{.in = {{3, 4}, {5, 4}, {5, 2}}},
              {.in = {{2, 3, 4}, {2, 5, 4}, {2, 5, 2}, {3, 5}}},
              {.in = {{2, 4, 3, 2}, {2, 2, 5, 2}, {2, 2, 5, 3}, {2, 1, 3, 5}},
               .attrs = {{"scale", 0.5}}},
              {.in = {{2, 20, 5}, {2, 20, 5}, {2, 20, 5}},
               .attrs = {{"causal", true}}},
              {.in = {{1, 150, 16}, {1, 200, 16}, {1, 200, 20}},
               .only = {DType::kF32, DType::kF64}},
              {.in = {{2, 130, 9}, {2, 70, 9}, {2, 70, 13}},
               .attrs = {{"causal", true}},
               .only = {DType::kF32, DType::kBF16}},
              {.in = {{1, 40, 8},
                      {1, 90, 8},
                      {1, 90, 8},
                      Array::Zeros(DType::kBool, {40, 1})},
               .only = {DType::kF32}},
              {.in = {{2, 2, 3},
                      {2, 3, 3},
                      {2, 3, 2},
                      Array::Of<float>({2, 3}, {kNo, 1, 0.5f, -1, kNo, kNo})},
               .only = {DType::kF32}},
              {.in = {{2, 3},
                      {2, 3},
                      {2, 3},
                      Array::Of<float>({2, 2}, {kNo, 1, kNo, kNo})},
               .only = {DType::kF32}},
              // Too deep for a panel of queries on the stack.
              {.in = {{13, 2100}, {3, 2100}, {3, 2}}, .only = {DType::kF32}},
              {.in = {{2, 8, 7}, {2, 300, 7}, {2, 300, 37}},
               .attrs = {{"causal", true}},
               .only = {DType::kF32, DType::kF64}},
              {.in = {{4, 5, 37}, {2, 300, 37}, {2, 300, 37}, {5, 300}},
               .only = {DType::kF32, DType::kF16}},
              {.in = {{8, 0}, {3, 0}, {3, 2}}},
              {.in = {{8, 2}, {0, 2}, {0, 2}}},
              {.in = {{2, 0, 4}, {2, 3, 4}, {2, 3, 2}}},
              {.in = {{2, 4}, {0, 4}, {0, 3}}},
              {.in = {{2, 0}, {3, 0}, {3, 2}}},
              {.in = {{2, 2}, {3, 2}, {3, 0}}},
              {.in = {{0, 3, 4}, {0, 3, 4}, {0, 3, 2}}}})
    .rejects(
        {{.in = {{4}, {5, 4}, {5, 2}},
          .message = "[Attention] q is f32[4]; wanted rank 2 or more"},
         {.in = {{1, 3, 4}, {5, 4}, {5, 2}},
          .message = "[Attention] q is f32[1,3,4], k is f32[5,4]; wanted equal "
                     "ranks"},
         {.in = {{3, 4}, {5, 3}, {5, 2}},
          .message = "[Attention] q is f32[3,4], k is f32[5,3]; wanted equal "
                     "sizes of the last axis"},
         {.in = {{3, 4}, {5, 4}, {6, 2}},
          .message = "[Attention] k is f32[5,4], v is f32[6,2]; wanted equal "
                     "sizes but for the last axis"},
         {.in = {{3, 2, 4}, {2, 5, 4}, {2, 5, 2}},
          .message = "[Attention] q is f32[3,2,4], k is f32[2,5,4]; wanted q's "
                     "heads (axis -3) to be a multiple of k's"},
         {.in = {{3, 2, 2, 4}, {2, 2, 5, 4}, {2, 2, 5, 2}},
          .message = "[Attention] q is f32[3,2,2,4], k is f32[2,2,5,4]; wanted "
                     "equal axes before the heads"},
         {.in = {{3, 4}, {5, 4}, {5, 2}, {5, 3}},
          .message = "[Attention] mask[0] is f32[5,3]; wanted a shape that "
                     "broadcasts to [3,5]"},
         {.in = {{3, 4}, {5, 4}, {5, 2}, {3, 5}, {3, 5}},
          .message = "[Attention] takes at most one mask, got 2"}});
SL_AUTOCAST(Attention, kLow);

}  // namespace sluice
