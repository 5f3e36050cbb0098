#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"
#include "sluice/ops/nn/spatial_sizes.h"

namespace sluice {

SL_OP(AdaptiveAvgPool1DGrad)
    .doc(
        "The gradient of AdaptiveAvgPool1D's x, which had shape `shape`, "
        "from y's.")
    .input("dy: T")
    .input("shape: i64")
    .output("dx: T")
    .types("T", kFloats)
    .shape(adaptive_avg_pool_grad_shape<1>)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("AdaptiveAvgPool1D", {g.dy()},
                         {{"output_size", SpatialSizes(g, g.in(0))}}));
    })
    .batch(batch_rules::rows_to_shape<1, 0>)
    .cpu(avg_pool_grad_kernel)
    .cpu_workspace(pool_grad_workspace)
    .fuse_output()
    .internal()
    .tolerance(2e-6)
    .reference(AvgPoolGradReference)
    .samples(AdaptiveAvgPoolGradSamples(1))
    .rejects(AdaptiveAvgPoolGradRejects("AdaptiveAvgPool1DGrad", 1));

}  // namespace sluice
