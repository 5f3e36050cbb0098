#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

SL_OP(MaxPool1D)
    .doc(
        "The greatest element of each window of images x [batch, channels, "
        "length]. NaN is greater than any number; a window of border alone "
        "gives minus infinity.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("kernel_size", AttrKind::kInts, kPoolKernelDoc)
    .attr("strides", std::vector<int64_t>{}, kPoolStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kPoolPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kPoolDilationDoc)
    .attr("ceil_mode", false, kPoolCeilDoc)
    .shape(pool_shape<1>)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("MaxPool1DGrad", {g.in(0), g.dy()}, g.attrs()));
    })
    .batch(batch_rules::rows<0>)
    .cpu(max_pool_kernel)
    .fuse_output()
    .reference(MaxPoolReference)
    .samples(MaxPoolSamples(1))
    .rejects(PoolRejects("MaxPool1D", 1));

}  // namespace sluice
