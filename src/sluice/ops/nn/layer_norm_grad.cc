#include "sluice/kernels/cpu/norm_rows.h"
#include "sluice/kernels/norm_reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray &dy = in[0], &x = in[1], &scale = in[2], &mean = in[3],
                 &rstd = in[4];
  ref::RowsOf r(x.shape, attrs.get<int64_t>("axis"));
  RefArray dx{x.shape, {}}, dscale{r.inner, std::vector<double>(r.n)};
  RefArray doffset = dscale;
  for (size_t i = 0; i < r.rows; ++i) {
    auto xhat = [&](size_t k) {
      return (x.v[i * r.n + k] - mean.v[i]) * rstd.v[i];
    };
    double sum = 0, sum_xhat = 0;
    for (size_t k = 0; k < r.n; ++k) {
      double g = dy.v[i * r.n + k];
      dscale.v[k] += g * xhat(k);
      doffset.v[k] += g;
      sum += g * scale.v[k];
      sum_xhat += g * scale.v[k] * xhat(k);
    }
    auto n = static_cast<double>(r.n);
    for (size_t k = 0; k < r.n; ++k) {
      double g = dy.v[i * r.n + k] * scale.v[k];
      dx.v.push_back(rstd.v[i] * (g - sum / n - xhat(k) * sum_xhat / n));
    }
  }
  return {dx, dscale, doffset};
}

}  // namespace

SL_OP_OF(LayerNormGrad, MeanAndRstdNormGrad)
    .doc("The gradients of LayerNorm by x, scale and offset.")
    .attr("axis", -1, "The first axis normalised over.")
    .shape(layer_norm_grad_shape)
    .grad([](GradContext& g) {
      NormView view = LayerNormView(g, g.in(2), g.in(3));
      StatsGrad stats =
          NormGradRule(g, view, view.Stats(g.in(3)), view.Stats(g.in(4)));
      SetFromView(g, 3, stats.mean);
      SetFromView(g, 4, stats.rstd);
    })
    .cpu(layer_norm_grad_kernel)
    .cpu_workspace(norm_rows_grad_workspace)
    .reference(Reference)
    .samples({{.in = {{4}, {4}, {4}, Shape(), Shape()}},
              {.in = {{3, 5}, {3, 5}, {5}, {3}, {3}}},
              {.in = {{2, 3, 4}, {2, 3, 4}, {3, 4}, {2}, {2}},
               .attrs = {{"axis", 1}}},
              {.in = {{70, 300}, {70, 300}, {300}, {70}, {70}},
               .only = {DType::kF32}},
              {.in = {{1, 5000}, {1, 5000}, {5000}, {1}, {1}},
               .only = {DType::kF64}},
              {.in = {{2, 3},
                      Array::Of<float>({2, 3}, {1e4f, 1e4f + 1, 1e4f - 1, 1e4f,
                                                1e4f + 2, 1e4f - 2}),
                      {3},
                      Array::Vector<float>({1e4f, 1e4f}),
                      Array::Vector<float>({1.22f, 0.61f})}},
              {.in = {{0, 3}, {0, 3}, {3}, {0}, {0}}},
              {.in = {{2, 0}, {2, 0}, {0}, {2}, {2}}}})
    .rejects(
        {{.in = {{2, 3}, {2, 4}, {4}, {2}, {2}},
          .message = "[LayerNormGrad] shapes differ: dy is f32[2,3], x is "
                     "f32[2,4]; wanted equal shapes"},
         {.in = {{2, 3}, {2, 3}, {2}, {2}, {2}},
          .message = "[LayerNormGrad] scale is f32[2]; wanted shape [3]"},
         {.in = {{2, 3}, {2, 3}, {3}, {3}, {2}},
          .message = "[LayerNormGrad] mean is f32[3]; wanted shape [2]"},
         {.in = {{2, 3}, {2, 3}, {3}, {2}, {2}},
          .attrs = {{"axis", -3}},
          .message = "[LayerNormGrad] axis -3 is out of range"},
         {.in = {Shape(), Shape(), Shape(), Shape(), Shape()},
          .message = "[LayerNormGrad] x is f32[]; wanted rank 1 or more"}});

}  // namespace sluice
