// Products of few rows with a row-major B. Packing B would take as long as the
// product, so rows of B are accumulated as they are read, at memory speed. With
// one row this is a vector-matrix product. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

inline constexpr int64_t kFewRows = 16;

// m <= kFewRows; b is not transposed. T is the element type, C the type of
// sums.
template <class T, class C>
void FewRowsGemm(const GemmArgs& args, WorkerPool* pool);

}  // namespace sluice
