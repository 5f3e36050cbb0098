#include "sluice/kernels/cpu/norm_rows.h"
#include "sluice/kernels/norm_reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray &dy = in[0], &x = in[1], &scale = in[2], &rstd = in[3];
  ref::RowsOf r(x.shape, attrs.get<int64_t>("axis"));
  RefArray dx{x.shape, {}}, dscale{r.inner, std::vector<double>(r.n)};
  for (size_t i = 0; i < r.rows; ++i) {
    double sum = 0;
    for (size_t k = 0; k < r.n; ++k) {
      double g = dy.v[i * r.n + k], xhat = x.v[i * r.n + k] * rstd.v[i];
      dscale.v[k] += g * xhat;
      sum += g * scale.v[k] * xhat / static_cast<double>(r.n);
    }
    for (size_t k = 0; k < r.n; ++k) {
      double g = dy.v[i * r.n + k] * scale.v[k];
      dx.v.push_back(rstd.v[i] * (g - x.v[i * r.n + k] * rstd.v[i] * sum));
    }
  }
  return {dx, dscale};
}

}  // namespace

SL_OP(RmsNormGrad)
    .doc("The gradients of RmsNorm by x and scale.")
    .input("dy: T")
    .input("x: T")
    .input("scale: T")
    .input("rstd: S")
    .output("dx: T")
    .output("dscale: T")
    .types("T", kFloats)
    .types("S", {DType::kF32, DType::kF64})
    .attr("axis", -1, "The first axis normalised over.")
    .shape(rms_norm_grad_shape)
    .grad([](GradContext& g) {
      NormView view = LayerNormView(g, g.in(2), g.in(3));
      SetFromView(g, 3, NormGradRule(g, view, {}, view.Stats(g.in(3))).rstd);
    })
    .cpu(rms_norm_grad_kernel)
    .cpu_workspace(norm_rows_grad_workspace)
    .fuse_output()
    .internal()
    .tolerance(2e-5)
    .reference(Reference)
    .samples(
        {{.in = {{4}, {4}, {4}, Shape()}},
         {.in = {{3, 5}, {3, 5}, {5}, {3}}},
         {.in = {{2, 3, 4}, {2, 3, 4}, {3, 4}, {2}}, .attrs = {{"axis", 1}}},
         {.in = {{70, 300}, {70, 300}, {300}, {70}}, .only = {DType::kF32}},
         {.in = {{0, 3}, {0, 3}, {3}, {0}}},
         {.in = {{2, 0}, {2, 0}, {0}, {2}}}})
    .rejects({{.in = {{2, 3}, {2, 4}, {4}, {2}},
               .message = "[RmsNormGrad] shapes differ: dy is f32[2,3], x is "
                          "f32[2,4]; wanted equal shapes"},
              {.in = {{2, 3}, {2, 3}, {2}, {2}},
               .message = "[RmsNormGrad] scale is f32[2]; wanted shape [3]"},
              {.in = {{2, 3}, {2, 3}, {3}, {3}},
               .message = "[RmsNormGrad] rstd is f32[3]; wanted shape [2]"},
              {.in = {{2, 3}, {2, 3}, {3}, {2}},
               .attrs = {{"axis", -3}},
               .message = "[RmsNormGrad] axis -3 is out of range"}});

}  // namespace sluice
