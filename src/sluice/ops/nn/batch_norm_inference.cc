#include <cmath>

#include "sluice/kernels/cpu/batch_norm.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {

SL_OP(BatchNormInference)
    .doc(
        "Batch normalisation with given statistics: (x - mean) / sqrt(variance "
        "+ epsilon) * scale + offset, one number per channel (axis 1) each.")
    .input("x: T")
    .input("scale: T")
    .input("offset: T")
    .input("mean: S")
    .input("variance: S")
    .output("y: T")
    .types("T", kFloats)
    .types("S", {DType::kF32, DType::kF64})
    .attr("epsilon", 1e-5, "Added to the variance.")
    .shape(batch_norm_shape)
    .grad([](GradContext& g) {
      NormView view = BatchNormView(g, g.in(0), g.in(3));
      if (!g.status().ok()) return;
      GradVar dy = view.X(g.dy()), scale = view.Scale(g.in(1));
      GradVar rstd = InverseDeviation(g, view.Stats(g.in(4)));
      if (g.wants(0)) SetFromView(g, 0, dy * (rstd * scale));
      auto sum = [&](GradVar each) { return g.sum_to(each, rstd); };
      if (g.wants(2)) SetFromView(g, 2, sum(dy));
      if (g.wants(3)) SetFromView(g, 3, -(sum(dy) * rstd * scale));
      if (!g.wants(1) && !g.wants(4)) return;
      GradVar far = sum(dy * (view.X(g.in(0)) - view.Stats(g.in(3))));
      SetFromView(g, 1, far * rstd);
      if (g.wants(4)) SetFromView(g, 4, ByVariance(rstd, far * scale));
    })
    .batch(batch_rules::rows<0>)
    .cpu(batch_norm_inference_kernel)
    .cpu_workspace(batch_norm_workspace)
    .in_place()
    .fails_for_sizes_only()
    .fuse_output()
    .tolerance(5e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      double epsilon = attrs.get<double>("epsilon");
      return std::vector<RefArray>{ref::Build(in[0].shape, [&](const Ints& at) {
        auto c = static_cast<size_t>(at[1]);
        return (ref::At(in[0], at) - in[3].v[c]) /
                   std::sqrt(in[4].v[c] + epsilon) * in[1].v[c] +
               in[2].v[c];
      })};
    })
    .samples({{.in = {{4, 3}, {3}, {3}, {3}, {3}}, .lo = 1, .hi = 3},
              {.in = {{2, 3, 4, 5}, {3}, {3}, {3}, {3}}, .lo = 1, .hi = 3},
              {.in = {{2, 3}, {3}, {3}, {3}, {3}}, .lo = 50, .hi = 60},
              {.in = {{300, 70}, {70}, {70}, {70}, {70}},
               .lo = 1,
               .hi = 3,
               .only = {DType::kF32}},
              {.in = {{5, 2, 70, 70}, {2}, {2}, {2}, {2}},
               .lo = 1,
               .hi = 3,
               .only = {DType::kF32}},
              {.in = {{0, 2}, {2}, {2}, {2}, {2}}},
              {.in = {{2, 0, 3}, {0}, {0}, {0}, {0}}}})
    .rejects(
        {{.in = {{3}, {3}, {3}, {3}, {3}},
          .message = "[BatchNormInference] x is f32[3]; wanted rank 2 or more"},
         {.in = {{2, 3}, {3}, {3}, {2}, {3}},
          .message = "[BatchNormInference] mean is f32[2]; wanted shape "
                     "[3], one number per channel"},
         {.in = {{2, 3}, {3}, {3}, {3}, {3}},
          .attrs = {{"epsilon", -1.0}},
          .message = "[BatchNormInference] epsilon is -1; wanted epsilon "
                     ">= 0"}});
SL_AUTOCAST(BatchNormInference, kFirst);

}  // namespace sluice
