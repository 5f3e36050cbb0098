#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/kernels/cpu/conv/conv_shape.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/conv_grad.h"
#include "sluice/ops/nn/conv_samples.h"

namespace sluice {

SL_OP(Conv2DInputGrad)
    .doc("The gradient of Conv2D's x, which had shape `shape`, from y's.")
    .input("dy: T")
    .input("w: T")
    .input("shape: i64")
    .output("dx: T")
    .types("T", kFloats)
    .attr("strides", std::vector<int64_t>{}, kConvStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kConvPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kConvDilationDoc)
    .attr("groups", 1, kConvGroupsDoc)
    .between(1, kMaxConvGroups)
    .shape(conv_input_grad_shape<2>)
    .grad(conv_input_grad_grad<2>)
    .batch(batch_rules::rows_to_shape<2, 0>)
    .cpu(conv_input_grad_kernel)
    .cpu_workspace(conv_input_grad_workspace)
    .cost(conv_input_grad_cost)
    .fuse_output()
    .internal()
    .tolerance(5e-5)
    .reference(ConvInputGradReference)
    .samples(ConvInputGradSamples(2))
    .rejects(ConvInputGradRejects("Conv2DInputGrad", 2));

}  // namespace sluice
