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
  RefArray y{in[0].shape, {}}, mean{r.outer, {}}, rstd{r.outer, {}};
  for (size_t i = 0; i < r.rows; ++i) {
    auto row = in[0].v.begin() + static_cast<int64_t>(i * r.n);
    std::vector<double> x(row, row + static_cast<int64_t>(r.n));
    ref::MeanAndVariance s = ref::Statistics(x);
    mean.v.push_back(s.mean);
    rstd.v.push_back(s.rstd(attrs.get<double>("epsilon")));
    for (size_t k = 0; k < r.n; ++k) {
      y.v.push_back((x[k] - s.mean) * rstd.v.back() * in[1].v[k] + in[2].v[k]);
    }
  }
  return {y, mean, rstd};
}

}  // namespace

SL_OP_OF(LayerNorm, MeanAndRstdNorm)
    .doc(
        "Each slice of x over the axes from `axis` on with its mean taken off "
        "and divided by its standard deviation, then times scale plus offset. "
        "Also the mean and 1 / sqrt(variance + epsilon) of each slice, which "
        "the gradient needs.")
    .attr("axis", -1, "The first axis to normalise over; all after it follow.")
    .attr("epsilon", 1e-5, "Added to the variance.")
    .shape(layer_norm_shape)
    .grad([](GradContext& g) {
      GradVar dx = GradFromY(g, "LayerNormGrad", {g.out(1), g.out(2)},
                             {{"axis", g.attr<int64_t>("axis")}});
      if (!g.has_dy(1) && !g.has_dy(2)) return g.set_dx(0, dx);
      SetWithMeanAndRstd(g, LayerNormView(g, g.in(1), g.out(1)), dx);
    })
    .batch(batch_rules::first_along_axis)
    .cpu(layer_norm_kernel)
    .fuse_input()
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{4}, {4}, {4}}},
              {.in = {{3, 5}, {5}, {5}}},
              {.in = {{2, 3, 4}, {3, 4}, {3, 4}}, .attrs = {{"axis", 1}}},
              {.in = {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}}, .attrs = {{"axis", 0}}},
              {.in = {{70, 300}, {300}, {300}},
               .only = {DType::kF32, DType::kBF16}},
              {.in = {ref::NumbersNear(1e4, {3, 5000}), {5000}, {5000}}},
              {.in = {ref::NumbersNear(1e4, {40, 131}), {131}, {131}},
               .only = {DType::kF32}},
              {.in = {{2, 1}, {1}, {1}}, .attrs = {{"epsilon", 0.5}}},
              {.in = {{0, 3}, {3}, {3}}},
              {.in = {{2, 0}, {0}, {0}}}})
    .rejects(
        {{.in = {Shape(), {1}, {1}},
          .message = "[LayerNorm] x is f32[]; wanted rank 1 or more"},
         {.in = {{2, 3}, {2}, {3}},
          .message = "[LayerNorm] scale is f32[2]; wanted shape [3], x's axes "
                     "1 to 1"},
         {.in = {{2, 3}, {3}, {2, 3}},
          .message = "[LayerNorm] offset is f32[2,3]; wanted shape [3]"},
         {.in = {{2, 3}, {3}, {3}},
          .attrs = {{"axis", 2}},
          .message = "[LayerNorm] axis 2 is out of range"},
         {.in = {{2, 3}, {3}, {3}},
          .attrs = {{"epsilon", -1.0}},
          .message = "[LayerNorm] epsilon is -1; wanted epsilon >= 0"}});
SL_AUTOCAST(LayerNorm, kF32);

}  // namespace sluice
