// Correlations of bf16 with matrix-multiply instructions, on machines that have
// them: weights and columns, gathered as in correlate.h, are packed like the
// panels of a product (gemm/kit.h). Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/half.h"

namespace sluice {

// Whether the machine has them and the correlation fills them.
bool MatrixCorrelationPays(const Correlation& c);

// As Correlate and its workspace. REQUIRES: MatrixCorrelationPays, and a
// nonempty sum.
int64_t MatrixCorrelateWorkspace(const Correlation& c);
void MatrixCorrelate(const Correlation& c, const bf16* w, const bf16* x,
                     bf16* y, const KernelContext& ctx);

}  // namespace sluice
