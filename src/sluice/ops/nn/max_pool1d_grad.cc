#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

SL_OP(MaxPool1DGrad)
    .doc(
        "The gradient of MaxPool1D's x from y's: each goes to the first of "
        "the greatest elements of its window.")
    .input("x: T")
    .input("dy: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("kernel_size", AttrKind::kInts, kPoolKernelDoc)
    .attr("strides", std::vector<int64_t>{}, kPoolStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kPoolPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kPoolDilationDoc)
    .attr("ceil_mode", false, kPoolCeilDoc)
    .shape(max_pool_grad_shape<1>)
    .grad([](GradContext& g) {
      g.set_dx(1, g.call("MaxPool1DPick", {g.in(0), g.dy()}, g.attrs()));
    })
    .batch(batch_rules::rows<0, 1>)
    .cpu(max_pool_grad_kernel)
    .cpu_workspace(pool_grad_workspace)
    .fuse_output()
    .internal()
    .tolerance(1e-6)
    .reference(MaxPoolGradReference)
    .samples(MaxPoolGradSamples(1))
    .rejects(MaxPoolGradRejects("MaxPool1DGrad", 1));

}  // namespace sluice
