// Many products of one size: stacks of matrices whose leading axes may repeat a
// matrix (step 0) or interleave them. Small ones are shared out among threads
// whole, large ones one after the other, each by all threads; a stack times one
// B is a single tall product. Sums are those of Gemm.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// The stack's axes, outermost first: sizes and, for each operand, elements from
// one matrix to the next.
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
// `finish`, C is its output 0 and elements are reported to its fused
// neighbours.
void BatchedGemm(GemmType type, const GemmArgs& first, const GemmBatch& batch,
                 const KernelContext* finish, WorkerPool* pool,
                 void* workspace);

}  // namespace sluice
