// Fused attention on a GPU's tensor cores (source/flash_tile.cuh): scores stay
// inside a multiprocessor, so that they use no memory or bandwidth.
//
// Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/attention_view.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// Whether it supports these operands and is preferred over the other way: by
// type and sizes alone, so that scratch space can be planned before a launch.
bool FlashServes(const attention::View& view, DType dtype);

// Bytes of scratch space of the gradient; the forward pass needs none.
int64_t FlashGradSpace(const attention::View& view);

// Attention and AttentionGrad. REQUIRES: FlashServes. Unimplemented, with no
// result written: this GPU lacks a required feature.
Status FlashAttention(const KernelContext& ctx);
Status FlashAttentionGrad(const KernelContext& ctx);

}  // namespace sluice
