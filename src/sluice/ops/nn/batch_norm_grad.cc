#include "sluice/kernels/cpu/batch_norm.h"
#include "sluice/kernels/norm_reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {

SL_OP(BatchNormGrad)
    .doc(
        "The gradients of BatchNorm by x, scale and offset, from the mean and "
        "variance it gave.")
    .input("dy: T")
    .input("x: T")
    .input("scale: T")
    .input("mean: S")
    .input("variance: S")
    .output("dx: T")
    .output("dscale: T")
    .output("doffset: T")
    .types("T", kFloats)
    .types("S", {DType::kF32, DType::kF64})
    .attr("epsilon", 1e-5, "Added to the variance.")
    .shape(batch_norm_shape)
    .grad([](GradContext& g) {
      NormView view = BatchNormView(g, g.in(1), g.in(3));
      GradVar rstd = InverseDeviation(g, view.Stats(g.in(4)));
      StatsGrad stats = NormGradRule(g, view, view.Stats(g.in(3)), rstd);
      SetFromView(g, 3, stats.mean);
      SetFromView(g, 4, ByVariance(rstd, stats.rstd));
    })
    .cpu(batch_norm_grad_kernel)
    .cpu_workspace(batch_norm_workspace)
    .fuse_output()
    .internal()
    .tolerance(3e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      std::vector<double> rstd;
      for (double v : in[4].v) {
        rstd.push_back(1 / std::sqrt(v + attrs.get<double>("epsilon")));
      }
      return ref::PartsGradient(in, 0, rstd);
    })
    .samples(
        {{.in = {{4, 3}, {4, 3}, {3}, {3}, {3}}, .lo = 1, .hi = 2},
         {.in = {{2, 3, 4, 5}, {2, 3, 4, 5}, {3}, {3}, {3}}, .lo = 1, .hi = 2},
         {.in = {{300, 70}, {300, 70}, {70}, {70}, {70}},
          .lo = 1,
          .hi = 2,
          .only = {DType::kF32}},
         {.in = {{5, 2, 70, 70}, {5, 2, 70, 70}, {2}, {2}, {2}},
          .lo = 1,
          .hi = 2,
          .only = {DType::kF32}},
         {.in = {{2, 1, 280, 280}, {2, 1, 280, 280}, {1}, {1}, {1}},
          .lo = 1,
          .hi = 2,
          .only = {DType::kF32}},
         {.in = {{0, 2}, {0, 2}, {2}, {2}, {2}}},
         {.in = {{2, 0, 3}, {2, 0, 3}, {0}, {0}, {0}}}})
    .rejects({{.in = {{2, 3}, {2, 4}, {4}, {4}, {4}},
               .message = "[BatchNormGrad] shapes differ: dy is f32[2,3], x is "
                          "f32[2,4]; wanted equal shapes"},
              {.in = {{3}, {3}, {3}, {3}, {3}},
               .message = "[BatchNormGrad] dy is f32[3]; wanted rank 2 or "
                          "more"},
              {.in = {{2, 3}, {2, 3}, {3}, {3}, {2}},
               .message = "[BatchNormGrad] variance is f32[2]; wanted shape "
                          "[3], one number per channel"}});

}  // namespace sluice
