#include "sluice/kernels/cpu/batch_norm.h"

#include "sluice/kernels/norm_reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/norm_grad.h"

namespace sluice {

SL_OP(BatchNorm)
    .doc(
        "Batch normalisation for training: every channel (axis 1) of x with "
        "its mean over all other axes taken off and divided by its standard "
        "deviation, then times scale plus offset. Also the batch's mean and "
        "variance (divided by the count, not by one less).")
    .input("x: T")
    .input("scale: T")
    .input("offset: T")
    .output("y: T")
    .output("mean: compute(T)")
    .output("variance: compute(T)")
    .types("T", kFloats)
    .attr("epsilon", 1e-5, "Added to the variance.")
    .shape(batch_norm_shape)
    .grad([](GradContext& g) {
      GradVar dx =
          GradFromY(g, "BatchNormGrad", {g.out(1), g.out(2)}, g.attrs());
      if (!g.has_dy(1) && !g.has_dy(2)) return g.set_dx(0, dx);
      NormView view = BatchNormView(g, g.in(0), g.out(1));
      GradVar dmean, dvariance;
      if (g.has_dy(1)) dmean = view.Stats(g.dy(1));
      if (g.has_dy(2)) dvariance = view.Stats(g.dy(2));
      SetWithStats(g, view, dx, view.Stats(g.out(1)), dmean, dvariance);
    })
    .cpu(batch_norm_kernel)
    .cpu_workspace(batch_norm_workspace)
    .fails_for_sizes_only()
    .fuse_output()
    .tolerance(5e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return ref::NormalizeParts(in, {in[0].shape.dim(1)}, 0,
                                 attrs.get<double>("epsilon"));
    })
    .samples({{.in = {{4, 3}, {3}, {3}}},
              {.in = {{2, 3, 5}, {3}, {3}}},
              {.in = {{2, 3, 4, 5}, {3}, {3}}},
              {.in = {ref::NumbersNear(1e4, {2, 3, 20, 25}), {3}, {3}}},
              {.in = {ref::NumbersNear(1e3, {300, 70}), {70}, {70}}},
              {.in = {{300, 70}, {70}, {70}},
               .only = {DType::kF32, DType::kF16}},
              {.in = {{5, 2, 70, 70}, {2}, {2}}, .only = {DType::kF32}},
              {.in = {{2, 1, 280, 280}, {1}, {1}}, .only = {DType::kF32}},
              {.in = {{1, 2}, {2}, {2}}, .attrs = {{"epsilon", 0.5}}},
              {.in = {{0, 2}, {2}, {2}}},
              {.in = {{2, 3, 0}, {3}, {3}}},
              {.in = {{2, 0, 3}, {0}, {0}}}})
    .rejects({{.in = {{3}, {3}, {3}},
               .message = "[BatchNorm] x is f32[3]; wanted rank 2 or more"},
              {.in = {{2, 3}, {2}, {3}},
               .message = "[BatchNorm] scale is f32[2]; wanted shape [3], one "
                          "number per channel"},
              {.in = {{2, 3}, {3}, {3, 1}},
               .message = "[BatchNorm] offset is f32[3,1]; wanted rank 1"},
              {.in = {{2, 3}, {3}, {3}},
               .attrs = {{"epsilon", -1.0}},
               .message = "[BatchNorm] epsilon is -1; wanted epsilon >= 0"}});
SL_AUTOCAST(BatchNorm, kFirst);

}  // namespace sluice
