// Convolutions of floats by our own kernels, one thread per result: slow, for
// any sizes and layouts, and available without a library.
//
// Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// The array that is written; the others are read.
enum class ConvPass : uint8_t { kForward, kInputGrad, kFilterGrad };

// The operands of the forward pass, whichever of them is written now. The
// arrays have equal ranks; x and y, and w, may be channels last.
struct ConvOperands {
  const Array &x, &w, &y;
};

Status RunPlainConv(const KernelContext& ctx, ConvPass pass,
                    const ConvGeometry& g, const ConvOperands& on);

}  // namespace sluice
