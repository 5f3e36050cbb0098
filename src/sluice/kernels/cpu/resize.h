// Resizes images [batch, channels, height, width] by nearest neighbor or
// bilinear interpolation, and computes its gradient. Parallel over planes (and
// rows in the forward direction); results do not depend on the number of
// threads. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

Status resize_shape(ShapeContext& c);  // x -> y
Status resize_kernel(KernelContext& ctx);
int64_t resize_workspace(const ShapeContext& c);

Status resize_grad_shape(ShapeContext& c);  // dy, shape of x -> dx
Status resize_grad_kernel(KernelContext& ctx);
int64_t resize_grad_workspace(const ShapeContext& c);

inline constexpr char kResizeModeDoc[] =
    "Take the nearest element, or interpolate between four.";
inline constexpr char kResizeCoordinatesDoc[] =
    "How positions correspond. half_pixel: elements are squares, and the "
    "images cover each other. align_corners: elements are points, and the "
    "outermost coincide. asymmetric: squares again, but counted from their "
    "corners.";

}  // namespace sluice
