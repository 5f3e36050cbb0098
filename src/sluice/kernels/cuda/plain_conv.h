// Convolutions of floats by kernels of our own, a thread for each result: slow,
// of any sizes and layout, and there where no library is.
//
// Any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// Which of the three is written; the others are read.
enum class ConvPass : uint8_t { kForward, kInputGrad, kFilterGrad };

// What the forward pass reads and writes, whichever is written now. The arrays
// have equal ranks; x and y, and w, may lie channels last.
struct ConvOperands {
  const Array &x, &w, &y;
};

Status RunPlainConv(const KernelContext& ctx, ConvPass pass,
                    const ConvGeometry& g, const ConvOperands& on);

}  // namespace sluice
