#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/kernels/cpu/conv/conv_shape.h"
#include "sluice/kernels/cpu/conv/integer_conv.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/conv_grad.h"
#include "sluice/ops/nn/conv_samples.h"

namespace sluice {

SL_OP(Conv1D)
    .doc(
        "Cross-correlation of images x [batch, channels, length] with "
        "kernels w [out, channels / groups, length].")
    .input("x: T")
    .input("w: T")
    .output("y: T")
    .types("T", kFloats | kConvInts)
    .attr("strides", std::vector<int64_t>{}, kConvStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kConvPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kConvDilationDoc)
    .attr("groups", 1, kConvGroupsDoc)
    .between(1, kMaxConvGroups)
    .shape(conv_shape<1>)
    .grad(conv_grad<1>)
    .batch(batch_rules::rows<0>)
    .cpu(conv_kernel)
    .cpu_workspace(conv_workspace)
    .cost(conv_cost)
    .fuse_output()
    .fails_for_sizes_only()
    .tolerance(5e-5)
    .reference(ConvReference)
    .samples(ConvSamples(1))
    .rejects(ConvRejects("Conv1D", 1));

}  // namespace sluice
