#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/kernels/cpu/conv/conv_shape.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/conv_grad.h"
#include "sluice/ops/nn/conv_samples.h"

namespace sluice {

SL_OP(Conv2DFilterGrad)
    .doc("The gradient of Conv2D's w, which had shape `shape`, from y's.")
    .input("x: T")
    .input("dy: T")
    .input("shape: i64")
    .output("dw: T")
    .types("T", kFloats)
    .attr("strides", std::vector<int64_t>{}, kConvStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kConvPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kConvDilationDoc)
    .attr("groups", 1, kConvGroupsDoc)
    .between(1, kMaxConvGroups)
    .shape(conv_filter_grad_shape<2>)
    .grad(conv_filter_grad_grad<2>)
    .cpu(conv_filter_grad_kernel)
    .cpu_workspace(conv_filter_grad_workspace)
    .cost(conv_filter_grad_cost)
    .fuse_output()
    .internal()
    .tolerance(5e-5)
    .reference(ConvFilterGradReference)
    .samples(ConvFilterGradSamples(2))
    .rejects(ConvFilterGradRejects("Conv2DFilterGrad", 2));

}  // namespace sluice
