// Correlations of bf16 by the instructions that multiply small matrices, where
// the machine has them: weights and columns, gathered as correlate.h does, are
// packed as the panels of a product are (gemm/kit.h).
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/half.h"

namespace sluice {

// Whether the machine has them, and the correlation fills them.
bool MatrixCorrelationPays(const Correlation& c);

// As Correlate and its workspace. REQUIRES: it pays, and there is something to
// sum.
int64_t MatrixCorrelateWorkspace(const Correlation& c);
void MatrixCorrelate(const Correlation& c, const bf16* w, const bf16* x,
                     bf16* y, const KernelContext& ctx);

}  // namespace sluice
