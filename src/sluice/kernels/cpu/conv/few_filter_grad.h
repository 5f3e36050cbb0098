// Kernel gradients of convolutions with very few output channels per group,
// above all depthwise ones. Every kernel element is the inner product of a
// channel of y's gradient with a shifted channel of the image, several elements
// at a time over a padded copy.
//
// One thread computes a kernel element from the first image to the last, so the
// result does not depend on the number of threads. Any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

inline constexpr int64_t kFewFilterRows = 2;

template <class T>
int64_t FewFilterGradWorkspace(const ConvGeometry& g);

// dw is output 0 of the launch; calls Finish for every element.
// REQUIRES: no size of g is zero.
template <class T>
void FewFilterGrad(const ConvGeometry& g, const T* x, const T* dy, T* dw,
                   const KernelContext& ctx);

}  // namespace sluice
