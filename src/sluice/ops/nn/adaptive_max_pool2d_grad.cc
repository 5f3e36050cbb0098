#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"
#include "sluice/ops/nn/spatial_sizes.h"

namespace sluice {

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

}  // namespace sluice
