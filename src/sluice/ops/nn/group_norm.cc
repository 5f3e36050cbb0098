#include "sluice/kernels/cpu/group_norm.h"

#include "sluice/kernels/norm_reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t groups = attrs.get<int64_t>("groups");
  double epsilon = attrs.get<double>("epsilon");
  auto out =
      ref::NormalizeParts(in, {in[0].shape.dim(0), groups}, groups, epsilon);
  for (double& v : out[2].v) v = 1 / std::sqrt(v + epsilon);
  return out;
}

}  // namespace

SL_OP_OF(GroupNorm, MeanAndRstdNorm)
    .doc(
        "Group normalisation: in every sample, each group of channels (axis 1) "
        "with "
        "its mean taken off and divided by its standard deviation, then times "
        "scale plus offset, one per channel. Also the mean and 1 / "
        "sqrt(variance + epsilon) of each, which the gradient needs.")
    .attr("groups", AttrKind::kInt, "Into how many groups channels fall.")
    .between(1, 1 << 30)
    .attr("epsilon", 1e-5, "Added to the variance.")
    .shape(group_norm_shape)
    .grad([](GradContext& g) {
      GradVar dx = GradFromY(g, "GroupNormGrad", {g.out(1), g.out(2)},
                             {{"groups", g.attr<int64_t>("groups")}});
      if (!g.has_dy(1) && !g.has_dy(2)) return g.set_dx(0, dx);
      SetWithMeanAndRstd(g,
                         GroupNormView(g, g.in(0), g.in(1), g.out(1),
                                       g.attr<int64_t>("groups")),
                         dx);
    })
    .batch(batch_rules::rows<0>)
    .cpu(group_norm_kernel)
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{2, 4, 5}, {4}, {4}}, .attrs = {{"groups", 2}}},
              {
                  .in = {ref::NumbersNear(1e4, {3, 6, 2, 3}), {6}, {6}},
                  .attrs = {{"groups", 3}},
              },
              {.in = {{3, 8}, {8}, {8}}, .attrs = {{"groups", 2}}},
              {.in = {{2, 4, 50, 60}, {4}, {4}},
               .attrs = {{"groups", 1}},
               .only = {DType::kF32, DType::kBF16}},
              {.in = {{0, 2, 3}, {2}, {2}}, .attrs = {{"groups", 2}}},
              {.in = {{2, 2, 0}, {2}, {2}}, .attrs = {{"groups", 1}}}})
    .rejects(
        {{.in = {{3}, {3}, {3}},
          .attrs = {{"groups", 1}},
          .message = "[GroupNorm] x is f32[3]; wanted rank 2 or more"},
         {.in = {{2, 3}, {2}, {3}},
          .attrs = {{"groups", 1}},
          .message = "[GroupNorm] scale is f32[2]; wanted shape [3]"},
         {.in = {{2, 3}, {3}, {3}},
          .attrs = {{"groups", 2}},
          .message = "[GroupNorm] x has 3 channels; wanted a multiple of 2 "
                     "groups"},
         {.in = {{2, 3}, {3}, {3}},
          .attrs = {{"groups", 1}, {"epsilon", -1.0}},
          .message = "[GroupNorm] epsilon is -1; wanted epsilon >= 0"}});
SL_AUTOCAST(GroupNorm, kF32);

}  // namespace sluice
