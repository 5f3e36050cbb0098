// Softmax along one axis, its logarithm and their gradients. A row is passed
// over three times while it lies in the first cache: maximum, exponentials and
// their sum, scaling. Subtracting the maximum keeps exp from overflowing; a row
// that holds NaN or infinity, or nothing but -infinity, becomes NaN.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// Every output like the inputs, which are equal; checks attribute "axis".
Status softmax_shape(ShapeContext& c);

// exp(x) / sum(exp(x)), or its logarithm.
Status softmax_kernel(KernelContext& ctx);
Status log_softmax_kernel(KernelContext& ctx);
// From dy and y: y (dy - sum(dy y)); dy - exp(y) sum(dy).
Status softmax_grad_kernel(KernelContext& ctx);
Status log_softmax_grad_kernel(KernelContext& ctx);

// log(sum(exp(row))) of n elements in a row, n > 0.
float LogSumExp(const float* row, int64_t n);
double LogSumExp(const double* row, int64_t n);
float LogSumExp(const f16* row, int64_t n);
float LogSumExp(const bf16* row, int64_t n);

}  // namespace sluice
