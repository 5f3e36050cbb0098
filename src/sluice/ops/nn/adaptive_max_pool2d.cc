#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

SL_OP(AdaptiveMaxPool2D)
    .doc(
        "The greatest elements of windows that cover images x [batch, "
        "channels, height, width] evenly, as many as output_size says.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("output_size", AttrKind::kInts, kPoolOutputDoc)
    .shape(adaptive_pool_shape<2>)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("AdaptiveMaxPool2DGrad", {g.in(0), g.dy()}));
    })
    .batch(batch_rules::rows<0>)
    .cpu(max_pool_kernel)
    .fuse_output()
    .reference(MaxPoolReference)
    .samples(AdaptivePoolSamples(2))
    .rejects(AdaptivePoolRejects("AdaptiveMaxPool2D", 2));

}  // namespace sluice
