// Products whose sums have very many terms, in pieces: one float that takes up
// hundreds of thousands of others in turn loses digits, and with some tens of
// millions of equal terms it no longer grows at all.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

// Sums of up to that many floats are left to the kernels.
inline constexpr int64_t kLongSum = 1 << 17;

// C in tiles: pieces of each are summed as doubles, in the order of k. Nothing
// is allocated. REQUIRES: floats, g.m > 0, g.n > 0.
void LongSumGemm(const GemmArgs& g, WorkerPool* pool);

}  // namespace sluice
