#include "sluice/kernels/cpu/norm_rows.h"
#include "sluice/kernels/norm_reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  ref::RowsOf r(in[0].shape, attrs.get<int64_t>("axis"));
  RefArray y{in[0].shape, {}}, rstd{r.outer, {}};
  for (size_t i = 0; i < r.rows; ++i) {
    double squares = 0;
    for (size_t k = 0; k < r.n; ++k) {
      double x = in[0].v[i * r.n + k];
      squares += x * x / static_cast<double>(r.n);
    }
    rstd.v.push_back(1 / std::sqrt(squares + attrs.get<double>("epsilon")));
    for (size_t k = 0; k < r.n; ++k) {
      y.v.push_back(in[0].v[i * r.n + k] * rstd.v[i] * in[1].v[k]);
    }
  }
  return {y, rstd};
}

}  // namespace

SL_OP(RmsNorm)
    .doc(
        "Each slice of x over the axes from `axis` on divided by the square "
        "root of its mean square, then times scale. Also 1 / sqrt(mean square "
        "+ epsilon) of each slice, which the gradient needs.")
    .input("x: T")
    .input("scale: T")
    .output("y: T")
    .output("rstd: compute(T)")
    .types("T", kFloats)
    .attr("axis", -1, "The first axis to normalise over; all after it follow.")
    .attr("epsilon", 1e-6, "Added to the mean square.")
    .shape(rms_norm_shape)
    .grad([](GradContext& g) {
      GradVar dx = GradFromY(g, "RmsNormGrad", {g.out(1)},
                             {{"axis", g.attr<int64_t>("axis")}});
      if (!g.has_dy(1)) return g.set_dx(0, dx);
      NormView view = LayerNormView(g, g.in(1), g.out(1));
      GradVar by = ByVariance(view.Stats(g.out(1)), view.Stats(g.dy(1)));
      SetWithStats(g, view, dx, {}, {}, by);
    })
    .batch(batch_rules::first_along_axis)
    .cpu(rms_norm_kernel)
    .in_place()
    .fuse_input()
    .fuse_output()
    .fails_for_sizes_only()
    .tolerance(2e-6)
    .reference(Reference)
    .samples({{.in = {{4}, {4}}},
              {.in = {{3, 5}, {5}}},
              {.in = {{2, 3, 4}, {3, 4}}, .attrs = {{"axis", 1}}},
              {.in = {{70, 300}, {300}}, .only = {DType::kF32, DType::kBF16}},
              {.in = {{1, 5000}, {5000}}, .only = {DType::kF32}},
              {.in = {{2, 1}, {1}}, .attrs = {{"epsilon", 0.5}}},
              {.in = {{0, 3}, {3}}},
              {.in = {{2, 0}, {0}}}})
    .rejects({{.in = {Shape(), {1}},
               .message = "[RmsNorm] x is f32[]; wanted rank 1 or more"},
              {.in = {{2, 3}, {2}},
               .message = "[RmsNorm] scale is f32[2]; wanted shape [3]"},
              {.in = {{2, 3}, {3}},
               .attrs = {{"axis", 2}},
               .message = "[RmsNorm] axis 2 is out of range"},
              {.in = {{2, 3}, {3}},
               .attrs = {{"epsilon", -1.0}},
               .message = "[RmsNorm] epsilon is -1; wanted epsilon >= 0"}});
SL_AUTOCAST(RmsNorm, kF32);

}  // namespace sluice
