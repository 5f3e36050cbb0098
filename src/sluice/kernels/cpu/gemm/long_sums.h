// Products with very long sums, in pieces: a float that accumulates hundreds of
// thousands of others loses digits, and with some tens of millions of equal
// terms it stops growing. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

// Sums of up to this many floats are left to the kernels.
inline constexpr int64_t kLongSum = 1 << 17;

// C in tiles: the pieces of each are summed as doubles, in the order of k.
// Nothing is allocated. REQUIRES: floats, g.m > 0, g.n > 0.
void LongSumGemm(const GemmArgs& g, WorkerPool* pool);

}  // namespace sluice
