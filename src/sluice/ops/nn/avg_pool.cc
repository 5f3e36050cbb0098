// AvgPool1D, AvgPool2D and AvgPool3D, and their gradients.
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
      .attr("ceil_mode", false, kPoolCeilDoc)
      .attr("count_include_pad", true, kPoolCountDoc);
}

template <int kAxes>
OpDefinition& AvgPool(OpDefinition&& op, std::string_view name) {
  op.doc(StrCat("The average of each window of images x [batch, channels, ",
                SpatialAxes(kAxes), "]."))
      .input("x: T")
      .output("y: T")
      .types("T", kFloats);
  return WindowAttrs(op)
      .shape(pool_shape<kAxes>)
      .grad([](GradContext& g) {
        g.set_dx(0, g.call(StrCat("AvgPool", kAxes, "DGrad"),
                           {g.dy(), g.shape_of(g.in(0))}, g.attrs()));
      })
      .batch(batch_rules::rows<0>)
      .cpu(avg_pool_kernel)
      .fuse_output()
      .tolerance(2e-6)
      .reference(AvgPoolReference)
      .samples(AvgPoolSamples(kAxes))
      .rejects(PoolRejects(name, kAxes));
}

template <int kAxes>
OpDefinition& AvgPoolGrad(OpDefinition&& op, std::string_view name) {
  op.doc(StrCat("The gradient of AvgPool", kAxes,
                "D's x, which had shape `shape`, from y's."))
      .input("dy: T")
      .input("shape: i64")
      .output("dx: T")
      .types("T", kFloats);
  return WindowAttrs(op)
      .shape(avg_pool_grad_shape<kAxes>)
      .grad([](GradContext& g) {
        g.set_dx(0, g.call(StrCat("AvgPool", kAxes, "D"), {g.dy()}, g.attrs()));
      })
      .batch(batch_rules::rows_to_shape<1, 0>)
      .cpu(avg_pool_grad_kernel)
      .cpu_workspace(pool_grad_workspace)
      .fuse_output()
      .internal()
      .tolerance(2e-6)
      .reference(AvgPoolGradReference)
      .samples(AvgPoolGradSamples(kAxes))
      .rejects(AvgPoolGradRejects(name, kAxes));
}

}  // namespace

SL_OP_OF(AvgPool1D, AvgPool<1>);
SL_OP_OF(AvgPool2D, AvgPool<2>);
SL_OP_OF(AvgPool3D, AvgPool<3>);

SL_OP_OF(AvgPool1DGrad, AvgPoolGrad<1>);
SL_OP_OF(AvgPool2DGrad, AvgPoolGrad<2>);
SL_OP_OF(AvgPool3DGrad, AvgPoolGrad<3>);

}  // namespace sluice
