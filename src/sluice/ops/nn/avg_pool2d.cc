#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

SL_OP(AvgPool2D)
    .doc(
        "The average of each window of images x [batch, channels, height, "
        "width].")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("kernel_size", AttrKind::kInts, kPoolKernelDoc)
    .attr("strides", std::vector<int64_t>{}, kPoolStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kPoolPaddingDoc)
    .attr("ceil_mode", false, kPoolCeilDoc)
    .attr("count_include_pad", true, kPoolCountDoc)
    .shape(pool_shape<2>)
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.call("AvgPool2DGrad", {g.dy(), g.shape_of(g.in(0))}, g.attrs()));
    })
    .batch(batch_rules::rows<0>)
    .cpu(avg_pool_kernel)
    .fuse_output()
    .tolerance(2e-6)
    .reference(AvgPoolReference)
    .samples(AvgPoolSamples(2))
    .rejects(PoolRejects("AvgPool2D", 2));

}  // namespace sluice
