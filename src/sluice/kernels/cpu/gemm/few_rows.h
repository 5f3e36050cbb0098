// Products of few rows with a B that lies row by row: packing B would take as
// long as the product, so rows of B are added up as they pass by, at the speed
// they come from memory. With one row this is the product of a vector and a
// matrix.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

inline constexpr int64_t kFewRows = 16;

// m <= kFewRows; b is not transposed. T is an element, C what sums are made of.
template <class T, class C>
void FewRowsGemm(const GemmArgs& args, WorkerPool* pool);

}  // namespace sluice
