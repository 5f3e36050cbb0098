#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

SL_OP(AvgPool1DGrad)
    .doc("The gradient of AvgPool1D's x, which had shape `shape`, from y's.")
    .input("dy: T")
    .input("shape: i64")
    .output("dx: T")
    .types("T", kFloats)
    .attr("kernel_size", AttrKind::kInts, kPoolKernelDoc)
    .attr("strides", std::vector<int64_t>{}, kPoolStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kPoolPaddingDoc)
    .attr("ceil_mode", false, kPoolCeilDoc)
    .attr("count_include_pad", true, kPoolCountDoc)
    .shape(avg_pool_grad_shape<1>)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("AvgPool1D", {g.dy()}, g.attrs()));
    })
    .batch(batch_rules::rows_to_shape<1, 0>)
    .cpu(avg_pool_grad_kernel)
    .cpu_workspace(pool_grad_workspace)
    .fuse_output()
    .internal()
    .tolerance(2e-6)
    .reference(AvgPoolGradReference)
    .samples(AvgPoolGradSamples(1))
    .rejects(AvgPoolGradRejects("AvgPool1DGrad", 1));

}  // namespace sluice
