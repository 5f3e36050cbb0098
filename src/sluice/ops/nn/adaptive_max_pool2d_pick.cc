#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

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
