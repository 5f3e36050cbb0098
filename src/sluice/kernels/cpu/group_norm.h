// Group normalization: axis 1 of x is the channel. The channels of each sample
// are split into "groups" equal parts, which are normalized separately. As many
// groups as channels is instance normalization. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// Ops without the attribute "groups" have one group per channel.
// x, scale, offset -> y, mean, rstd.
Status group_norm_shape(ShapeContext& c);
Status group_norm_kernel(KernelContext& ctx);

// dy, x, scale, mean, rstd -> dx, dscale, doffset.
Status group_norm_grad_shape(ShapeContext& c);
Status group_norm_grad_kernel(KernelContext& ctx);
int64_t group_norm_grad_workspace(const ShapeContext& c);

}  // namespace sluice
