// Runs an einsum: operands are taken one after the other into a running
// product, each step one stack of matrix products. Axes are collapsed where
// their strides allow; what does not lie as a matrix is copied first.
#pragma once

#include "sluice/kernels/cpu/einsum/equation.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

class WorkerPool;

// The same call counts the workspace and runs: with `data` null nothing is
// touched and the bytes needed are returned. Errors: a step whose result would
// have more elements than an array may have.
struct EinsumCall {
  const EinsumEquation& equation;
  DType dtype;
  const Shape* shapes;      // of the operands, whose sizes agree
  const void* const* data;  // of the operands, contiguous; null: count only
  void* out;                // contiguous
  void* workspace;
  WorkerPool* pool;
};
Result<int64_t> RunEinsum(const EinsumCall& call);

}  // namespace sluice
