// Conv1D, Conv2D and Conv3D, and their transposes.
#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/kernels/cpu/conv/conv_shape.h"
#include "sluice/kernels/cpu/conv/integer_conv.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/family.h"
#include "sluice/ops/nn/conv_rules.h"
#include "sluice/ops/nn/conv_samples.h"
#include "sluice/ops/nn/spatial_axes.h"

namespace sluice {
namespace {

template <int kAxes>
OpDefinition& Conv(OpDefinition&& op, std::string_view name) {
  constexpr std::string_view axes = SpatialAxes(kAxes);
  op.doc(StrCat("Cross-correlation of images x [batch, channels, ", axes,
                "] with kernels w [out, channels / groups, ", axes, "]."))
      .input("x: T")
      .input("w: T")
      .output("y: T")
      .types("T", kFloats | kConvInts);
  ConvWindowAttrs(op);
  return ConvGroupsAttr(op)
      .shape(conv_shape<kAxes>)
      .grad(conv_grad<kAxes>)
      .batch(batch_rules::rows<0>)
      .cpu(conv_kernel)
      .cpu_workspace(conv_workspace)
      .cost(conv_cost)
      .fuse_output()
      .fails_for_sizes_only()
      .tolerance(5e-5)
      .reference(ConvReference)
      .samples(ConvSamples(kAxes))
      .rejects(ConvRejects(name, kAxes));
}

template <int kAxes>
OpDefinition& ConvTranspose(OpDefinition&& op, std::string_view name) {
  constexpr std::string_view axes = SpatialAxes(kAxes);
  op.doc(StrCat("The transposed convolution: what ", ConvOp<kAxes>(),
                "'s input gradient does to y's gradient, done to x [batch, "
                "channels, ",
                axes, "] with kernels w [channels, out / groups, ", axes, "]."))
      .input("x: T")
      .input("w: T")
      .output("y: T")
      .types("T", kFloats | kConvInts);
  ConvWindowAttrs(op).attr(
      "output_padding", std::vector<int64_t>{},
      "Elements added behind each axis of the result, where a stride leaves "
      "its size open; none means 0.");
  return ConvGroupsAttr(op)
      .shape(conv_transpose_shape<kAxes>)
      .grad(conv_transpose_grad<kAxes>)
      .batch(batch_rules::rows<0>)
      .cpu(conv_transpose_kernel)
      .cpu_workspace(conv_transpose_workspace)
      .cost(conv_transpose_cost)
      .fuse_output()
      .tolerance(5e-5)
      .reference(ConvTransposeReference)
      .samples(ConvTransposeSamples(kAxes))
      .rejects(ConvTransposeRejects(name, kAxes));
}

}  // namespace

SL_OP_OF(Conv1D, Conv<1>);
SL_AUTOCAST(Conv1D, kLow);
SL_OP_OF(Conv2D, Conv<2>);
SL_AUTOCAST(Conv2D, kLow);
SL_OP_OF(Conv3D, Conv<3>);
SL_AUTOCAST(Conv3D, kLow);

SL_OP_OF(ConvTranspose1D, ConvTranspose<1>);
SL_AUTOCAST(ConvTranspose1D, kLow);
SL_OP_OF(ConvTranspose2D, ConvTranspose<2>);
SL_AUTOCAST(ConvTranspose2D, kLow);
SL_OP_OF(ConvTranspose3D, ConvTranspose<3>);
SL_AUTOCAST(ConvTranspose3D, kLow);

}  // namespace sluice
