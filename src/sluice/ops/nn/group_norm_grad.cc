#include "sluice/kernels/cpu/group_norm.h"
#include "sluice/kernels/norm_reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {

SL_OP_OF(GroupNormGrad, MeanAndRstdNormGrad)
    .doc("The gradients of GroupNorm by x, scale and offset.")
    .attr("groups", AttrKind::kInt, "Into how many groups channels fall.")
    .between(1, 1 << 30)
    .shape(group_norm_grad_shape)
    .grad([](GradContext& g) {
      NormView view = GroupNormView(g, g.in(1), g.in(2), g.in(3),
                                    g.attr<int64_t>("groups"));
      StatsGrad stats =
          NormGradRule(g, view, view.Stats(g.in(3)), view.Stats(g.in(4)));
      SetFromView(g, 3, stats.mean);
      SetFromView(g, 4, stats.rstd);
    })
    .cpu(group_norm_grad_kernel)
    .cpu_workspace(group_norm_grad_workspace)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return ref::PartsGradient(in, attrs.get<int64_t>("groups"), in[4].v);
    })
    .samples({{.in = {{2, 4, 5}, {2, 4, 5}, {4}, {2, 2}, {2, 2}},
               .attrs = {{"groups", 2}}},
              {.in = {{3, 6, 2, 3}, {3, 6, 2, 3}, {6}, {3, 3}, {3, 3}},
               .attrs = {{"groups", 3}}},
              {.in = {{3, 8}, {3, 8}, {8}, {3, 2}, {3, 2}},
               .attrs = {{"groups", 2}}},
              {.in = {{2, 2, 50, 60}, {2, 2, 50, 60}, {2}, {2, 1}, {2, 1}},
               .attrs = {{"groups", 1}},
               .only = {DType::kF32}},
              {.in = {{0, 2, 3}, {0, 2, 3}, {2}, {0, 2}, {0, 2}},
               .attrs = {{"groups", 2}}},
              {.in = {{2, 2, 0}, {2, 2, 0}, {2}, {2, 1}, {2, 1}},
               .attrs = {{"groups", 1}}}})
    .rejects(
        {{.in = {{2, 3}, {2, 4}, {4}, {2, 1}, {2, 1}},
          .attrs = {{"groups", 1}},
          .message =
              "[GroupNormGrad] shapes differ: dy is f32[2,3], x is f32[2,4]; "
              "wanted equal shapes"},
         {.in = {{2, 3}, {2, 3}, {3}, {3, 1}, {2, 1}},
          .attrs = {{"groups", 1}},
          .message = "[GroupNormGrad] mean is f32[3,1]; wanted shape [2,1]"},
         {.in = {{2, 3}, {2, 3}, {3}, {2, 2}, {2, 2}},
          .attrs = {{"groups", 2}},
          .message = "[GroupNormGrad] x has 3 channels; wanted a multiple of 2 "
                     "groups"},
         {.in = {{3}, {3}, {3}, {3, 1}, {2, 1}},
          .attrs = {{"groups", 1}},
          .message = "[GroupNormGrad] dy is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
