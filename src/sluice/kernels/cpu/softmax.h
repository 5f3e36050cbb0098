// Softmax along one axis, in three passes over each slice: maximum, sum of
// exponentials, result. Subtracting the maximum keeps exp from overflowing.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// Output like the input; checks attribute "axis".
Status softmax_shape(ShapeContext& c);

// exp(x) / sum(exp(x)), or its logarithm.
Status softmax_kernel(KernelContext& ctx);
Status log_softmax_kernel(KernelContext& ctx);

// log(sum(exp(row))) of n elements in a row, n > 0.
float LogSumExp(const float* row, int64_t n);
double LogSumExp(const double* row, int64_t n);
float LogSumExp(const f16* row, int64_t n);
float LogSumExp(const bf16* row, int64_t n);

}  // namespace sluice
