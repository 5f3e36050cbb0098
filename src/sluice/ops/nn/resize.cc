#include "sluice/kernels/cpu/resize.h"

#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/nn/resize_samples.h"

namespace sluice {

SL_OP(Resize)
    .doc(
        "Images x [batch, channels, height, width] with another height and "
        "width.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("size", AttrKind::kInts,
          "Height and width of the result, or one number for both.")
    .attr("mode", "bilinear", kResizeModeDoc)
    .one_of({"nearest", "bilinear"})
    .attr("coordinates", "half_pixel", kResizeCoordinatesDoc)
    .one_of({"half_pixel", "align_corners", "asymmetric"})
    .shape(resize_shape)
    .grad([](GradContext& g) {
      g.set_dx(0,
               g.call("ResizeGrad", {g.dy(), g.shape_of(g.in(0))},
                      {{"mode", g.attr<std::string>("mode")},
                       {"coordinates", g.attr<std::string>("coordinates")}}));
    })
    .batch(batch_rules::rows<0>)
    .cpu(resize_kernel)
    .cpu_workspace(resize_workspace)
    .fuse_output()
    .tolerance(2e-6)
    .reference(ResizeReference)
    .samples(ResizeSamples())
    .rejects({{.in = {{1, 1, 2, 2}},
               .attrs = {{"size", Ints{}}},
               .message = "[Resize] size is []; wanted at least 1 entry"},
              {.in = {{1, 1, 2, 2}},
               .attrs = {{"size", Ints{0, 1}}},
               .message = "[Resize] size is [0,1]; wanted every entry >= 1"},
              {.in = {{1, 1, 2, 2}},
               .attrs = {{"size", Ints{1, 2, 3}}},
               .message = "[Resize] size is [1,2,3]; wanted 1 or 2 entries"},
              {.in = {{1, 2, 2}},
               .attrs = {{"size", Ints{2}}},
               .message = "[Resize] x is f32[1,2,2]; wanted rank 4"},
              {.in = {{1, 1, 0, 2}},
               .attrs = {{"size", Ints{2}}},
               .message = "[Resize] x is f32[1,1,0,2]; wanted no empty spatial "
                          "axis"},
              {.in = {{1, 1, 2, 2}},
               .attrs = {{"size", Ints{INT64_MAX}}},
               .message = "[Resize] shape [1,1,9223372036854775807"}});

}  // namespace sluice
