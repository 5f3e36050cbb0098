// Batched products of one size: stacks of matrices whose leading axes may
// repeat a matrix (step 0) or interleave them. Small products are distributed
// over threads whole; large ones run one after another, each on all threads. A
// stack times one B is a single tall product. Sums are those of Gemm. Plain
// values and functions; any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// The axes of the stack, outermost first: sizes and, for each operand, elements
// between consecutive matrices.
struct GemmBatch {
  int rank = 0;
  int64_t dims[kMaxRank] = {};
  int64_t a_step[kMaxRank] = {}, b_step[kMaxRank] = {}, c_step[kMaxRank] = {};

  int64_t count() const;
  void Add(int64_t dim, int64_t a, int64_t b, int64_t c);
};

int64_t BatchedGemmWorkspace(GemmType type, const GemmArgs& first,
                             const GemmBatch& batch);

// `first` describes the first matrices; its `done` is not called. With
// `finish`, C is output 0 of its launch and elements are reported to fused
// neighbors.
void BatchedGemm(GemmType type, const GemmArgs& first, const GemmBatch& batch,
                 const KernelContext* finish, WorkerPool* pool,
                 void* workspace);

}  // namespace sluice
