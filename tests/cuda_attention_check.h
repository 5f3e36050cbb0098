// Attention and its gradient on the first GPU, emulated or not, at sizes where
// fused kernels have edges: the ops' own samples are small, and the bounds in
// their records are those of halves' sums. Here the CPU computes in f32 what
// the GPU gets in f16 or bf16, the error is measured over whole results, and
// every call is made twice: the same bits must come.
//
// Uses no test framework: sluice-gpu-test calls it, too.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

struct CudaAttentionReport {
  int cases = 0;
  std::vector<std::string> failures;  // one for each case that has some
};

// Error: there is no GPU; why.
Result<CudaAttentionReport> CheckCudaAttention();

}  // namespace sluice
