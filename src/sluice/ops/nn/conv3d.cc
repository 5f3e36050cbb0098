#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/kernels/cpu/conv/conv_shape.h"
#include "sluice/kernels/cpu/conv/integer_conv.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/conv_grad.h"
#include "sluice/ops/nn/conv_samples.h"

namespace sluice {

SL_OP(Conv3D)
    .doc(
        "Cross-correlation of images x [batch, channels, depth, height, "
        "width] with kernels w [out, channels / groups, depth, height, "
        "width].")
    .input("x: T")
    .input("w: T")
    .output("y: T")
    .types("T", kFloats | kConvInts)
    .attr("strides", std::vector<int64_t>{}, kConvStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kConvPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kConvDilationDoc)
    .attr("groups", 1, kConvGroupsDoc)
    .between(1, kMaxConvGroups)
    .shape(conv_shape<3>)
    .grad(conv_grad<3>)
    .batch(batch_rules::rows<0>)
    .cpu(conv_kernel)
    .cpu_workspace(conv_workspace)
    .cost(conv_cost)
    .fuse_output()
    .tolerance(5e-5)
    .reference(ConvReference)
    .samples(ConvSamples(3))
    .rejects(ConvRejects("Conv3D", 3));

}  // namespace sluice
