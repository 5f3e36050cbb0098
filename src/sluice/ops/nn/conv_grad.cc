// The gradients of Conv1D, Conv2D and Conv3D.
#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/kernels/cpu/conv/conv_shape.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/family.h"
#include "sluice/ops/nn/conv_rules.h"
#include "sluice/ops/nn/conv_samples.h"

namespace sluice {
namespace {

template <int kAxes>
OpDefinition& InputGrad(OpDefinition&& op, std::string_view name) {
  op.doc(StrCat("The gradient of ", ConvOp<kAxes>(),
                "'s x, which had shape `shape`, from y's."))
      .input("dy: T")
      .input("w: T")
      .input("shape: i64")
      .output("dx: T")
      .types("T", kFloats);
  ConvWindowAttrs(op);
  return ConvGroupsAttr(op)
      .shape(conv_input_grad_shape<kAxes>)
      .grad(conv_input_grad_grad<kAxes>)
      .batch(batch_rules::rows_to_shape<2, 0>)
      .cpu(conv_input_grad_kernel)
      .cpu_workspace(conv_input_grad_workspace)
      .cost(conv_input_grad_cost)
      .fuse_output()
      .internal()
      .tolerance(5e-5)
      .reference(ConvInputGradReference)
      .samples(ConvInputGradSamples(kAxes))
      .rejects(ConvInputGradRejects(name, kAxes));
}

template <int kAxes>
OpDefinition& FilterGrad(OpDefinition&& op, std::string_view name) {
  op.doc(StrCat("The gradient of ", ConvOp<kAxes>(),
                "'s w, which had shape `shape`, from y's."))
      .input("x: T")
      .input("dy: T")
      .input("shape: i64")
      .output("dw: T")
      .types("T", kFloats);
  ConvWindowAttrs(op);
  return ConvGroupsAttr(op)
      .shape(conv_filter_grad_shape<kAxes>)
      .grad(conv_filter_grad_grad<kAxes>)
      .cpu(conv_filter_grad_kernel)
      .cpu_workspace(conv_filter_grad_workspace)
      .cost(conv_filter_grad_cost)
      .fuse_output()
      .internal()
      .tolerance(5e-5)
      .reference(ConvFilterGradReference)
      .samples(ConvFilterGradSamples(kAxes))
      .rejects(ConvFilterGradRejects(name, kAxes));
}

}  // namespace

SL_OP_OF(Conv1DInputGrad, InputGrad<1>);
SL_OP_OF(Conv2DInputGrad, InputGrad<2>);
SL_OP_OF(Conv3DInputGrad, InputGrad<3>);

SL_OP_OF(Conv1DFilterGrad, FilterGrad<1>);
SL_OP_OF(Conv2DFilterGrad, FilterGrad<2>);
SL_OP_OF(Conv3DFilterGrad, FilterGrad<3>);

}  // namespace sluice
