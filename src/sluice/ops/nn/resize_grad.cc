#include "sluice/kernels/cpu/resize.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/resize_samples.h"
#include "sluice/ops/nn/spatial_sizes.h"

namespace sluice {

SL_OP(ResizeGrad)
    .doc("The gradient of Resize's x, which had shape `shape`, from y's.")
    .input("dy: T")
    .input("shape: i64")
    .output("dx: T")
    .types("T", kFloats)
    .attr("mode", "bilinear", kResizeModeDoc)
    .one_of({"nearest", "bilinear"})
    .attr("coordinates", "half_pixel", kResizeCoordinatesDoc)
    .one_of({"half_pixel", "align_corners", "asymmetric"})
    .shape(resize_grad_shape)
    .grad([](GradContext& g) {
      Attrs attrs = g.attrs();
      attrs.set("size", SpatialSizes(g, g.in(0)));
      g.set_dx(0, g.call("Resize", {g.dy()}, attrs));
    })
    .batch(batch_rules::rows_to_shape<1, 0>)
    .cpu(resize_grad_kernel)
    .cpu_workspace(resize_grad_workspace)
    .fuse_output()
    .internal()
    .tolerance(2e-6)
    .reference(ResizeGradReference)
    .samples(ResizeGradSamples())
    .rejects({{.in = {{1, 1, 2, 2}, Array::Vector<int64_t>({1, 1, 2})},
               .message = "[ResizeGrad] shape is [1,1,2]; wanted rank 4"},
              {.in = {{1, 1, 2, 2}, Array::Vector<int64_t>({1, 1, 0, 2})},
               .message = "[ResizeGrad] shape is [1,1,0,2]; wanted no empty "
                          "spatial axis"},
              {.in = {{1, 1, 2, 2}, Array::Vector<int64_t>({1, 2, 3, 3})},
               .message = "[ResizeGrad] dy is f32[1,1,2,2]; wanted [1,2,2,2]"},
              {.in = {{1, 2, 0, 2}, Array::Vector<int64_t>({1, 2, 3, 3})},
               .message = "[ResizeGrad] dy is f32[1,2,0,2]; wanted [1,2,1,2]"},
              {.in = {{2, 2}, Array::Vector<int64_t>({1, 2, 3, 3})},
               .message = "[ResizeGrad] dy is f32[2,2]; wanted rank 4"},
              {.in = {{1, 1, 2, 2}, Array::Vector<int64_t>({1, 1, -3, 3})},
               .message = "[ResizeGrad] shape[2] is -3; wanted a size of at "
                          "least 0"}});

}  // namespace sluice
