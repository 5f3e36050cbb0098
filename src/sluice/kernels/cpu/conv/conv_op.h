// Kernels, workspaces and costs of the convolution ops, for any number of
// spatial axes. The ops that read "dy" or are transposed use the same geometry
// from another side. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

Status conv_kernel(KernelContext& ctx);  // x, w -> y
int64_t conv_workspace(const ShapeContext& c);
double conv_cost(const ShapeContext& c);

Status conv_transpose_kernel(KernelContext& ctx);  // x, w -> y
int64_t conv_transpose_workspace(const ShapeContext& c);
double conv_transpose_cost(const ShapeContext& c);

Status conv_input_grad_kernel(KernelContext& ctx);  // dy, w, shape -> dx
int64_t conv_input_grad_workspace(const ShapeContext& c);
double conv_input_grad_cost(const ShapeContext& c);

Status conv_filter_grad_kernel(KernelContext& ctx);  // x, dy, shape -> dw
int64_t conv_filter_grad_workspace(const ShapeContext& c);
double conv_filter_grad_cost(const ShapeContext& c);

// Describes the attributes that all of them have.
inline constexpr int64_t kMaxConvGroups = 1 << 30;
inline constexpr char kConvStridesDoc[] =
    "Steps between output positions: one for all axes or one per spatial axis; "
    "none means 1.";
inline constexpr char kConvPaddingDoc[] =
    "Zeros around the image: one number for all sides, one per spatial axis "
    "for both its sides, or two per spatial axis, before and after; none means "
    "0.";
inline constexpr char kConvDilationDoc[] =
    "Steps between kernel elements: one for all axes or one per spatial axis; "
    "none means 1.";
inline constexpr char kConvGroupsDoc[] =
    "Channels are cut into this many groups, each convolved with kernels of "
    "its own.";

}  // namespace sluice
