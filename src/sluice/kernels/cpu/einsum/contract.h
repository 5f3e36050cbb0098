// Runs an einsum: operands are multiplied one after another into a running
// product, each step as one stack of matrix products. Axes are merged if their
// strides allow it; operands that are not laid out as matrices are copied
// first. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/einsum/equation.h"
#include "sluice/kernels/cpu/einsum/strided_sum.h"
#include "sluice/kernels/cpu/gemm/batch.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

class WorkerPool;

// Runs the steps of an einsum on another device. Lives as long as the call.
class EinsumEngine {
 public:
  // As StridedSum.
  virtual Status Sum(DType dtype, const void* x, const SumAxis* kept,
                     int num_kept, const SumAxis* summed, int num_summed,
                     void* y) = 0;
  // As BatchedGemm. REQUIRES: the rows of the results are adjacent.
  virtual Status Multiply(DType dtype, const GemmArgs& first,
                          const GemmBatch& batch) = 0;
  virtual Status Zero(void* to, int64_t bytes) = 0;

 protected:
  ~EinsumEngine() = default;
};

// The same call counts the workspace and runs: with null `data` it touches
// nothing and returns the required bytes. Errors: a step whose result would
// have more elements than an array may have.
struct EinsumCall {
  const EinsumEquation& equation;
  DType dtype;
  const Shape* shapes;      // of the operands, with matching sizes
  const void* const* data;  // of the operands, contiguous; null: count only
  void* out;                // contiguous
  void* workspace;
  WorkerPool* pool;
  EinsumEngine* engine = nullptr;  // null: the host
  bool for_engine = false;         // counted for an engine, or run by one
};
Result<int64_t> RunEinsum(const EinsumCall& call);

}  // namespace sluice
