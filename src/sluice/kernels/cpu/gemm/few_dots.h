// Few rows times a matrix that lies as its transpose: inner products of each of
// them with many rows of B,
//   c[i][j] = sum over p of a[i][p] * b[j * stride + p],
// at the speed B comes from memory: a layer whose weights lie by outputs, asked
// for a small batch. Nothing is packed, which would take longer than the
// product. Sums run in four lanes that are added up in a fixed order at the
// end: they depend on k alone.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

// Whether FewDotsGemm is the way for this product of floats.
bool HasFewDots(const GemmArgs& g);
// REQUIRES: HasFewDots(g), elements of type f32.
void FewDotsGemm(const GemmArgs& g, WorkerPool* pool);

}  // namespace sluice
