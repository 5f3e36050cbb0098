// Kernels of pooling ops: windows of any kind over 1 to 3 spatial axes. Half
// types are compared and added as floats. Parallel over planes and rows;
// results do not depend on the number of threads. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// x -> y. NaN is greater than any number; padding is smaller than any. A window
// of padding alone gives minus infinity (0 for averages).
Status max_pool_kernel(KernelContext& ctx);
Status avg_pool_kernel(KernelContext& ctx);

// x, dy -> dx: to the first of the greatest elements of each window.
Status max_pool_grad_kernel(KernelContext& ctx);
// dy, shape of x -> dx.
Status avg_pool_grad_kernel(KernelContext& ctx);
// Workspace of both gradients.
int64_t pool_grad_workspace(const ShapeContext& c);

// x, v -> v's element at the first of the greatest elements of each window of
// x; 0 for a window of padding alone.
Status max_pool_pick_kernel(KernelContext& ctx);

// Describes the attributes of pools.
inline constexpr char kPoolKernelDoc[] =
    "Window sizes: one for all axes or one per spatial axis.";
inline constexpr char kPoolStridesDoc[] =
    "Steps between windows: one for all axes or one per spatial axis; none "
    "means the window sizes.";
inline constexpr char kPoolPaddingDoc[] =
    "Border around the image, smaller than the window: one number for all "
    "sides, one per spatial axis for both its sides, or two per spatial axis, "
    "before and after; none means 0.";
inline constexpr char kPoolDilationDoc[] =
    "Steps between the elements of a window: one for all axes or one per "
    "spatial axis; none means 1.";
inline constexpr char kPoolCeilDoc[] =
    "One window more where the last ones leave a rest.";
inline constexpr char kPoolCountDoc[] =
    "Whether the border counts in what a sum is divided by.";
inline constexpr char kPoolOutputDoc[] =
    "Sizes of the result: one for all axes or one per spatial axis.";

}  // namespace sluice
