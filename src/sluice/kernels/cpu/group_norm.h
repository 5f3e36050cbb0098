// Group normalisation: axis 1 of x is the channel; each sample's channels fall
// into "groups" equal parts, which are normalised each by itself. As many
// groups as channels make instance normalisation.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// Ops without the attribute "groups" have a group for each channel.
// x, scale, offset -> y, mean, rstd.
Status group_norm_shape(ShapeContext& c);
Status group_norm_kernel(KernelContext& ctx);

// dy, x, scale, mean, rstd -> dx, dscale, doffset.
Status group_norm_grad_shape(ShapeContext& c);
Status group_norm_grad_kernel(KernelContext& ctx);
int64_t group_norm_grad_workspace(const ShapeContext& c);

}  // namespace sluice
