#include "sluice/kernels/cpu/group_norm.h"
#include "sluice/kernels/norm_reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {

SL_OP_OF(InstanceNormGrad, MeanAndRstdNormGrad)
    .doc("The gradients of InstanceNorm by x, scale and offset.")
    .shape(group_norm_grad_shape)
    .grad([](GradContext& g) {
      NormView view = GroupNormView(g, g.in(1), g.in(2), g.in(3), 0);
      StatsGrad stats =
          NormGradRule(g, view, view.Stats(g.in(3)), view.Stats(g.in(4)));
      SetFromView(g, 3, stats.mean);
      SetFromView(g, 4, stats.rstd);
    })
    .cpu(group_norm_grad_kernel)
    .cpu_workspace(group_norm_grad_workspace)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return ref::PartsGradient(in, in[1].shape.dim(1), in[4].v);
    })
    .samples({{.in = {{2, 4, 5}, {2, 4, 5}, {4}, {2, 4}, {2, 4}}},
              {.in = {{3, 6, 2, 3}, {3, 6, 2, 3}, {6}, {3, 6}, {3, 6}}},
              {.in = {{3, 8}, {3, 8}, {8}, {3, 8}, {3, 8}}},
              {.in = {{2, 2, 50, 60}, {2, 2, 50, 60}, {2}, {2, 2}, {2, 2}},
               .only = {DType::kF32}},
              {.in = {{0, 2, 3}, {0, 2, 3}, {2}, {0, 2}, {0, 2}}},
              {.in = {{2, 2, 0}, {2, 2, 0}, {2}, {2, 2}, {2, 2}}}})
    .rejects(
        {{.in = {{2, 3}, {2, 4}, {4}, {2, 1}, {2, 1}},
          .message = "[InstanceNormGrad] shapes differ: dy is f32[2,3], x is "
                     "f32[2,4]; "
                     "wanted equal shapes"},
         {.in = {{2, 3}, {2, 3}, {3}, {3, 1}, {2, 1}},
          .message = "[InstanceNormGrad] mean is f32[3,1]; wanted shape [2,3]"},
         {.in = {{3}, {3}, {3}, {3, 1}, {2, 1}},
          .message =
              "[InstanceNormGrad] dy is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
