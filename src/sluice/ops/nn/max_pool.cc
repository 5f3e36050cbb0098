// MaxPool1D, MaxPool2D and MaxPool3D, their gradients, and what those pick.
#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"
#include "sluice/ops/nn/pool_samples.h"
#include "sluice/ops/nn/spatial_axes.h"

namespace sluice {
namespace {

OpDefinition& WindowAttrs(OpDefinition& op) {
  return op.attr("kernel_size", AttrKind::kInts, kPoolKernelDoc)
      .attr("strides", std::vector<int64_t>{}, kPoolStridesDoc)
      .attr("padding", std::vector<int64_t>{}, kPoolPaddingDoc)
      .attr("dilation", std::vector<int64_t>{}, kPoolDilationDoc)
      .attr("ceil_mode", false, kPoolCeilDoc);
}

template <int kAxes>
std::string MaxPoolOp(std::string_view what = "") {
  return StrCat("MaxPool", kAxes, "D", what);
}

template <int kAxes>
OpDefinition& MaxPool(OpDefinition&& op, std::string_view name) {
  op.doc(StrCat("The greatest element of each window of images x [batch, "
                "channels, ",
                SpatialAxes(kAxes),
                "]. NaN is greater than any number; a window of border alone "
                "gives minus infinity."))
      .input("x: T")
      .output("y: T")
      .types("T", kFloats);
  return WindowAttrs(op)
      .shape(pool_shape<kAxes>)
      .grad([](GradContext& g) {
        g.set_dx(
            0, g.call(MaxPoolOp<kAxes>("Grad"), {g.in(0), g.dy()}, g.attrs()));
      })
      .batch(batch_rules::rows<0>)
      .cpu(max_pool_kernel)
      .fuse_output()
      .reference(MaxPoolReference)
      .samples(MaxPoolSamples(kAxes))
      .rejects(PoolRejects(name, kAxes));
}

template <int kAxes>
OpDefinition& MaxPoolGrad(OpDefinition&& op, std::string_view name) {
  op.doc(StrCat("The gradient of ", MaxPoolOp<kAxes>(),
                "'s x from y's: each goes to the first of the greatest "
                "elements of its window."))
      .input("x: T")
      .input("dy: T")
      .output("dx: T")
      .types("T", kFloats);
  return WindowAttrs(op)
      .shape(max_pool_grad_shape<kAxes>)
      .grad([](GradContext& g) {
        g.set_dx(
            1, g.call(MaxPoolOp<kAxes>("Pick"), {g.in(0), g.dy()}, g.attrs()));
      })
      .batch(batch_rules::rows<0, 1>)
      .cpu(max_pool_grad_kernel)
      .cpu_workspace(pool_grad_workspace)
      .fuse_output()
      .internal()
      .tolerance(1e-6)
      .reference(MaxPoolGradReference)
      .samples(MaxPoolGradSamples(kAxes))
      .rejects(MaxPoolGradRejects(name, kAxes));
}

template <int kAxes>
OpDefinition& MaxPoolPick(OpDefinition&& op, std::string_view name) {
  op.doc(StrCat("v where ", MaxPoolOp<kAxes>(),
                " finds the first of the greatest elements of each window of "
                "x, 0 for a window of border alone: how its y changes when x "
                "moves by v, and the gradient of ",
                MaxPoolOp<kAxes>("Grad"), "'s dy."))
      .input("x: T")
      .input("v: T")
      .output("y: T")
      .types("T", kFloats);
  return WindowAttrs(op)
      .shape(max_pool_pick_shape<kAxes>)
      .grad([](GradContext& g) {
        g.set_dx(
            1, g.call(MaxPoolOp<kAxes>("Grad"), {g.in(0), g.dy()}, g.attrs()));
      })
      .batch(batch_rules::rows<0, 1>)
      .cpu(max_pool_pick_kernel)
      .internal()
      .reference(MaxPoolPickReference)
      .samples(MaxPoolPickSamples(kAxes))
      .rejects(MaxPoolPickRejects(name, kAxes,
                                  {{"kernel_size", std::vector<int64_t>{2}}}));
}

}  // namespace

SL_OP_OF(MaxPool1D, MaxPool<1>);
SL_OP_OF(MaxPool2D, MaxPool<2>);
SL_OP_OF(MaxPool3D, MaxPool<3>);

SL_OP_OF(MaxPool1DGrad, MaxPoolGrad<1>);
SL_OP_OF(MaxPool2DGrad, MaxPoolGrad<2>);
SL_OP_OF(MaxPool3DGrad, MaxPoolGrad<3>);

SL_OP_OF(MaxPool1DPick, MaxPoolPick<1>);
SL_OP_OF(MaxPool2DPick, MaxPoolPick<2>);
SL_OP_OF(MaxPool3DPick, MaxPoolPick<3>);

}  // namespace sluice
