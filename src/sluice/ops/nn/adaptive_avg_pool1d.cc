#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

SL_OP(AdaptiveAvgPool1D)
    .doc(
        "Averages of windows that cover images x [batch, channels, length] "
        "evenly, as many as output_size says.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("output_size", AttrKind::kInts, kPoolOutputDoc)
    .shape(adaptive_pool_shape<1>)
    .grad([](GradContext& g) {
      g.set_dx(0,
               g.call("AdaptiveAvgPool1DGrad", {g.dy(), g.shape_of(g.in(0))}));
    })
    .batch(batch_rules::rows<0>)
    .cpu(avg_pool_kernel)
    .fuse_output()
    .tolerance(2e-6)
    .reference(AvgPoolReference)
    .samples(AdaptivePoolSamples(1))
    .rejects(AdaptivePoolRejects("AdaptiveAvgPool1D", 1));

}  // namespace sluice
