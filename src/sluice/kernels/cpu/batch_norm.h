// Batch normalization: axis 1 of x is the channel, and every channel is
// normalized over all other axes. Channels with contiguous runs (images) are
// processed one by one, so that a channel that fits the second-level cache is
// read from memory once. Without runs (matrices) columns are processed side by
// side. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// x (or dy and x), and one number per channel in every other input; output 0
// like x, the others one number per channel. Checks attribute "epsilon".
Status batch_norm_shape(ShapeContext& c);

// x, scale, offset -> y, mean, variance.
Status batch_norm_kernel(KernelContext& ctx);
// x, scale, offset, mean, variance -> y.
Status batch_norm_inference_kernel(KernelContext& ctx);

// dy, x, scale, mean, variance -> dx, dscale, doffset.
Status batch_norm_grad_kernel(KernelContext& ctx);

// Workspace for any of them.
int64_t batch_norm_workspace(const ShapeContext& c);

}  // namespace sluice
