// Fused attention on a GPU's tensor cores (source/flash_tile.cuh): scores live
// and die in a multiprocessor, so that no memory is wanted for them and none is
// read.
//
// Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/attention_view.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// Whether it serves these operands, and before the other way would: by type and
// sizes alone, so that scratch space can be planned before a launch.
bool FlashServes(const attention::View& view, DType dtype);

// Bytes of scratch space of the gradient; Attention wants none.
int64_t FlashGradSpace(const attention::View& view);

// Attention and AttentionGrad. REQUIRES: FlashServes. Unimplemented, with no
// result written: this GPU lacks what it takes.
Status FlashAttention(const KernelContext& ctx);
Status FlashAttentionGrad(const KernelContext& ctx);

}  // namespace sluice
