// Normalization of rows: LayerNorm and RmsNorm over the axes from attribute
// "axis" on, with one scale (and offset) per element of a row. Each row is read
// from memory once. Gradients of scale and offset are summed over rows in
// chunks whose boundaries depend only on the shape. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// x, scale, offset -> y, mean, rstd.
Status layer_norm_shape(ShapeContext& c);
Status layer_norm_kernel(KernelContext& ctx);
// x, scale -> y, rstd.
Status rms_norm_shape(ShapeContext& c);
Status rms_norm_kernel(KernelContext& ctx);

// dy, x, scale, mean, rstd -> dx, dscale, doffset.
Status layer_norm_grad_shape(ShapeContext& c);
Status layer_norm_grad_kernel(KernelContext& ctx);
// dy, x, scale, rstd -> dx, dscale.
Status rms_norm_grad_shape(ShapeContext& c);
Status rms_norm_grad_kernel(KernelContext& ctx);
int64_t norm_rows_grad_workspace(const ShapeContext& c);

// Attribute "epsilon" is a number >= 0.
Status CheckEpsilon(const ShapeContext& c);

}  // namespace sluice
