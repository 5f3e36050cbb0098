#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/kernels/cpu/conv/conv_shape.h"
#include "sluice/kernels/cpu/conv/integer_conv.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/conv_grad.h"
#include "sluice/ops/nn/conv_samples.h"

namespace sluice {

SL_OP(ConvTranspose1D)
    .doc(
        "The transposed convolution: what Conv1D's input gradient does to "
        "y's gradient, done to x [batch, channels, length] with kernels w "
        "[channels, out / groups, length].")
    .input("x: T")
    .input("w: T")
    .output("y: T")
    .types("T", kFloats | kConvInts)
    .attr("strides", std::vector<int64_t>{}, kConvStridesDoc)
    .attr("padding", std::vector<int64_t>{}, kConvPaddingDoc)
    .attr("dilation", std::vector<int64_t>{}, kConvDilationDoc)
    .attr(
        "output_padding", std::vector<int64_t>{},
        "Elements added behind each axis of the result, where a stride leaves "
        "its size open; none means 0.")
    .attr("groups", 1, kConvGroupsDoc)
    .between(1, kMaxConvGroups)
    .shape(conv_transpose_shape<1>)
    .grad(conv_transpose_grad<1>)
    .batch(batch_rules::rows<0>)
    .cpu(conv_transpose_kernel)
    .cpu_workspace(conv_transpose_workspace)
    .cost(conv_transpose_cost)
    .fuse_output()
    .tolerance(5e-5)
    .reference(ConvTransposeReference)
    .samples(ConvTransposeSamples(1))
    .rejects(ConvTransposeRejects("ConvTranspose1D", 1));

}  // namespace sluice
