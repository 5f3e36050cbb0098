// Pools whose windows cover an image evenly, with a given number of outputs:
// AdaptiveAvgPool1D, AdaptiveAvgPool2D, AdaptiveMaxPool2D and their gradients.
#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"
#include "sluice/ops/nn/pool_samples.h"
#include "sluice/ops/nn/spatial_axes.h"
#include "sluice/ops/nn/spatial_sizes.h"

namespace sluice {
namespace {

template <int kAxes>
OpDefinition& Pool(OpDefinition& op, std::string_view name,
                   std::string_view takes) {
  return op
      .doc(StrCat(takes, " of windows that cover images x [batch, channels, ",
                  SpatialAxes(kAxes), "] evenly, as many as output_size says."))
      .input("x: T")
      .output("y: T")
      .types("T", kFloats)
      .attr("output_size", AttrKind::kInts, kPoolOutputDoc)
      .shape(adaptive_pool_shape<kAxes>)
      .batch(batch_rules::rows<0>)
      .fuse_output()
      .samples(AdaptivePoolSamples(kAxes))
      .rejects(AdaptivePoolRejects(name, kAxes));
}

template <int kAxes>
OpDefinition& AvgPool(OpDefinition&& op, std::string_view name) {
  return Pool<kAxes>(op, name, "Averages")
      .grad([](GradContext& g) {
        g.set_dx(0, g.call(StrCat("AdaptiveAvgPool", kAxes, "DGrad"),
                           {g.dy(), g.shape_of(g.in(0))}));
      })
      .cpu(avg_pool_kernel)
      .tolerance(2e-6)
      .reference(AvgPoolReference);
}

template <int kAxes>
OpDefinition& AvgPoolGrad(OpDefinition&& op, std::string_view name) {
  return op
      .doc(StrCat("The gradient of AdaptiveAvgPool", kAxes,
                  "D's x, which had shape `shape`, from y's."))
      .input("dy: T")
      .input("shape: i64")
      .output("dx: T")
      .types("T", kFloats)
      .shape(adaptive_avg_pool_grad_shape<kAxes>)
      .grad([](GradContext& g) {
        g.set_dx(0, g.call(StrCat("AdaptiveAvgPool", kAxes, "D"), {g.dy()},
                           {{"output_size", SpatialSizes(g, g.in(0))}}));
      })
      .batch(batch_rules::rows_to_shape<1, 0>)
      .cpu(avg_pool_grad_kernel)
      .cpu_workspace(pool_grad_workspace)
      .fuse_output()
      .internal()
      .tolerance(2e-6)
      .reference(AvgPoolGradReference)
      .samples(AdaptiveAvgPoolGradSamples(kAxes))
      .rejects(AdaptiveAvgPoolGradRejects(name, kAxes));
}

template <int kAxes>
OpDefinition& MaxPool(OpDefinition&& op, std::string_view name) {
  return Pool<kAxes>(op, name, "The greatest elements")
      .grad([](GradContext& g) {
        g.set_dx(0, g.call(StrCat("AdaptiveMaxPool", kAxes, "DGrad"),
                           {g.in(0), g.dy()}));
      })
      .cpu(max_pool_kernel)
      .reference(MaxPoolReference);
}

}  // namespace

SL_OP_OF(AdaptiveAvgPool1D, AvgPool<1>);
SL_OP_OF(AdaptiveAvgPool2D, AvgPool<2>);
SL_OP_OF(AdaptiveAvgPool1DGrad, AvgPoolGrad<1>);
SL_OP_OF(AdaptiveAvgPool2DGrad, AvgPoolGrad<2>);

SL_OP_OF(AdaptiveMaxPool2D, MaxPool<2>);

SL_OP(AdaptiveMaxPool2DGrad)
    .doc(
        "The gradient of AdaptiveMaxPool2D's x from y's: each goes to the "
        "first of the greatest elements of its window.")
    .input("x: T")
    .input("dy: T")
    .output("dx: T")
    .types("T", kFloats)
    .shape(adaptive_max_pool_grad_shape<2>)
    .grad([](GradContext& g) {
      g.set_dx(1, g.call("AdaptiveMaxPool2DPick", {g.in(0), g.dy()},
                         {{"output_size", SpatialSizes(g, g.in(1))}}));
    })
    .batch(batch_rules::rows<0, 1>)
    .cpu(max_pool_grad_kernel)
    .cpu_workspace(pool_grad_workspace)
    .fuse_output()
    .internal()
    .tolerance(1e-6)
    .reference(MaxPoolGradReference)
    .samples(AdaptiveMaxPoolGradSamples(2))
    .rejects(AdaptiveMaxPoolGradRejects("AdaptiveMaxPool2DGrad", 2));

SL_OP(AdaptiveMaxPool2DPick)
    .doc(
        "v where AdaptiveMaxPool2D finds the first of the greatest elements of "
        "each window of x: how its y changes when x moves by v, and the "
        "gradient of AdaptiveMaxPool2DGrad's dy.")
    .input("x: T")
    .input("v: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("output_size", AttrKind::kInts, kPoolOutputDoc)
    .shape(adaptive_max_pool_pick_shape<2>)
    .grad([](GradContext& g) {
      g.set_dx(1, g.call("AdaptiveMaxPool2DGrad", {g.in(0), g.dy()}));
    })
    .batch(batch_rules::rows<0, 1>)
    .cpu(max_pool_pick_kernel)
    .internal()
    .reference(MaxPoolPickReference)
    .samples(AdaptiveMaxPoolPickSamples(2))
    .rejects(MaxPoolPickRejects("AdaptiveMaxPool2DPick", 2,
                                {{"output_size", std::vector<int64_t>{2}}}));

}  // namespace sluice
