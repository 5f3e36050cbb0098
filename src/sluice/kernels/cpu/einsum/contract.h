// Runs an einsum: operands are taken one after the other into a running
// product, each step one stack of matrix products. Axes are collapsed where
// their strides allow; what does not lie as a matrix is copied first.
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
  // As BatchedGemm. REQUIRES: the results' rows lie side by side.
  virtual Status Multiply(DType dtype, const GemmArgs& first,
                          const GemmBatch& batch) = 0;
  virtual Status Zero(void* to, int64_t bytes) = 0;

 protected:
  ~EinsumEngine() = default;
};

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
  EinsumEngine* engine = nullptr;  // null: the host
  bool for_engine = false;         // counted for one, or done by one
};
Result<int64_t> RunEinsum(const EinsumCall& call);

}  // namespace sluice
