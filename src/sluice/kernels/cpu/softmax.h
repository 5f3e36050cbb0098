// Softmax along one axis, its logarithm and their gradients. Three passes read
// a row while it is in the first-level cache: maximum, exponentials and their
// sum, scaling. Subtracting the maximum keeps exp from overflowing. A row with
// NaN or infinity, or with only -infinity, becomes NaN. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// Every output has the shape of the inputs, which are equal; checks attribute
// "axis".
Status softmax_shape(ShapeContext& c);

// exp(x) / sum(exp(x)), or its logarithm.
Status softmax_kernel(KernelContext& ctx);
Status log_softmax_kernel(KernelContext& ctx);
// From dy and y: y (dy - sum(dy y)); dy - exp(y) sum(dy).
Status softmax_grad_kernel(KernelContext& ctx);
Status log_softmax_grad_kernel(KernelContext& ctx);

// log(sum(exp(row))) of n contiguous elements, n > 0.
float LogSumExp(const float* row, int64_t n);
double LogSumExp(const double* row, int64_t n);
float LogSumExp(const f16* row, int64_t n);
float LogSumExp(const bf16* row, int64_t n);

}  // namespace sluice
