// y = x with axes reordered and some summed over: the part of an einsum that
// concerns one operand. Plain functions; any thread.
#pragma once

#include <cstdint>

#include "sluice/tensor/dtype.h"

namespace sluice {

class WorkerPool;

inline constexpr int kMaxSumAxes = 64;

// An axis of the result, or one to sum over. Strides are in elements.
struct SumAxis {
  int64_t dim, from, to;  // `to` is unused for summed axes
};

// For every index of the `kept` axes: the sum of x over all indices of the
// `summed` ones, in row-major order. Floats are summed in double, integers
// wrap. `dtype`: one of those of matrix products.
void StridedSum(DType dtype, const void* x, const SumAxis* kept, int num_kept,
                const SumAxis* summed, int num_summed, void* y,
                WorkerPool* pool);

}  // namespace sluice
