// Products of floats with a small B, without packing: elements of A and rows of
// B are read in place, which is cheap in the first-level cache. One pass over
// k, with the same sums as the packed product. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

// Whether this machine has a kernel for it and it is small enough.
bool IsSmallGemm(const GemmArgs& args);

// Rows [begin, end) of the product; does not call `done`.
void SmallGemm(const GemmArgs& args, int64_t begin, int64_t end);

}  // namespace sluice
