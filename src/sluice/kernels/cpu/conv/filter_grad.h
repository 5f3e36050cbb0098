// Gradients of convolution kernels: y's gradient times columns of image
// elements, summed over the pixels of all images. Images are copied with
// channels innermost and zeros around them, so that a column panel of one pixel
// consists of a few contiguous pieces; the matrix of columns is never stored.
//
// Pixels are distributed over a number of partial sums that depends only on the
// shapes, and these are added in order: the result does not depend on the
// number of threads. Any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

template <class T>
int64_t FilterGradWorkspace(const ConvGeometry& g);

// dw is output 0 of the launch; calls Finish for every element.
template <class T>
void FilterGrad(const ConvGeometry& g, const T* x, const T* dy, T* dw,
                const KernelContext& ctx);

}  // namespace sluice
