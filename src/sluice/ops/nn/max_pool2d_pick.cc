#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

SL_OP(MaxPool2DPick)
    .doc(
        "v where MaxPool2D finds the first of the greatest elements of each "
        "window of x, 0 for a window of border alone: how its y changes when x "
        "moves by v, and the gradient of MaxPool2DGrad's dy.")
    .input("x: T")
    .input("v: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("kernel_size", AttrKind::kInts, kPoolKernelDoc)
    .attr("strides", std::vector<int64_t>{}, kPoolStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kPoolPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kPoolDilationDoc)
    .attr("ceil_mode", false, kPoolCeilDoc)
    .shape(max_pool_pick_shape<2>)
    .grad([](GradContext& g) {
      g.set_dx(1, g.call("MaxPool2DGrad", {g.in(0), g.dy()}, g.attrs()));
    })
    .batch(batch_rules::rows<0, 1>)
    .cpu(max_pool_pick_kernel)
    .internal()
    .reference(MaxPoolPickReference)
    .samples(MaxPoolPickSamples(2))
    .rejects(MaxPoolPickRejects("MaxPool2DPick", 2,
                                {{"kernel_size", std::vector<int64_t>{2}}}));

}  // namespace sluice
