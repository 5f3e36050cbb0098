// Batch normalisation: axis 1 of x is the channel, and every channel is
// normalised over all other axes. Channels whose elements lie in runs (images)
// are worked on one by one, so that a channel which fits the second cache is
// read from memory once; without runs (matrices) columns go side by side.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// x (or dy and x) and one number per channel in every other input; output 0
// like x, the others one number per channel. Checks attribute "epsilon".
Status batch_norm_shape(ShapeContext& c);

// x, scale, offset -> y, mean, variance.
Status batch_norm_kernel(KernelContext& ctx);
// x, scale, offset, mean, variance -> y.
Status batch_norm_inference_kernel(KernelContext& ctx);

// dy, x, scale, mean, variance -> dx, dscale, doffset.
Status batch_norm_grad_kernel(KernelContext& ctx);

// Scratch for any of them.
int64_t batch_norm_workspace(const ShapeContext& c);

}  // namespace sluice
