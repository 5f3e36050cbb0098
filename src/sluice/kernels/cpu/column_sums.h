// Moments and gradient sums of the columns of a matrix, a strip of columns at a
// time and rows in blocks, in an order that depends only on the shape. Plain
// functions; any thread.
#pragma once

#include "sluice/kernels/cpu/affine.h"
#include "sluice/kernels/cpu/moments.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

class WorkerPool;

// out[j]: the moments of column j of x, a contiguous rows x width matrix.
template <class T>
void ColumnMoments(WorkerPool* pool, const T* x, int64_t rows, int64_t width,
                   Moments* out);

// out[2j], out[2j + 1]: the sums of dy and of dy hat[j](x) over column j.
template <class T>
void ColumnGradSums(WorkerPool* pool, const T* dy, const T* x, int64_t rows,
                    int64_t width, const Affine<Compute<T>>* hat, double* out);

}  // namespace sluice
