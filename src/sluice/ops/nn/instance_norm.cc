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
  int64_t groups = in[0].shape.dim(1);
  double epsilon = attrs.get<double>("epsilon");
  auto out =
      ref::NormalizeParts(in, {in[0].shape.dim(0), groups}, groups, epsilon);
  for (double& v : out[2].v) v = 1 / std::sqrt(v + epsilon);
  return out;
}

}  // namespace

SL_OP_OF(InstanceNorm, MeanAndRstdNorm)
    .doc(
        "Instance normalisation: every channel (axis 1) of every sample with "
        "its mean taken off and divided by its standard deviation, then times "
        "scale plus offset, one per channel. Also the mean and 1 / "
        "sqrt(variance + epsilon) of each, which the gradient needs.")
    .attr("epsilon", 1e-5, "Added to the variance.")
    .shape(group_norm_shape)
    .grad([](GradContext& g) {
      GradVar dx = GradFromY(g, "InstanceNormGrad", {g.out(1), g.out(2)}, {});
      if (!g.has_dy(1) && !g.has_dy(2)) return g.set_dx(0, dx);
      SetWithMeanAndRstd(g, GroupNormView(g, g.in(0), g.in(1), g.out(1), 0),
                         dx);
    })
    .batch(batch_rules::rows<0>)
    .cpu(group_norm_kernel)
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{2, 4, 5}, {4}, {4}}},
              {
                  .in = {ref::NumbersNear(1e4, {3, 6, 2, 3}), {6}, {6}},
              },
              {.in = {{3, 8}, {8}, {8}}},
              {.in = {{2, 4, 50, 60}, {4}, {4}},
               .only = {DType::kF32, DType::kBF16}},
              {.in = {{0, 2, 3}, {2}, {2}}},
              {.in = {{2, 2, 0}, {2}, {2}}}})
    .rejects(
        {{.in = {{3}, {3}, {3}},
          .message = "[InstanceNorm] x is f32[3]; wanted rank 2 or more"},
         {.in = {{2, 3}, {2}, {3}},
          .message = "[InstanceNorm] scale is f32[2]; wanted shape [3]"},
         {.in = {{2, 3}, {3}, {3}},
          .attrs = {{"epsilon", -1.0}},
          .message = "[InstanceNorm] epsilon is -1; wanted epsilon >= 0"}});
SL_AUTOCAST(InstanceNorm, kF32);

}  // namespace sluice
