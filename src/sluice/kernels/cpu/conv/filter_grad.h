// Gradients of convolution kernels: y's gradient times columns of image
// elements, summed over the pixels of all images. Images are copied with their
// channels innermost and zeros around them, so that a column panel of one pixel
// is a few contiguous pieces; the matrix of columns is never written out.
//
// Pixels are dealt to a number of partial sums fixed by the shapes and these
// are added in order: the result does not depend on the number of threads.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

template <class T>
int64_t FilterGradWorkspace(const ConvGeometry& g);

// dw is output 0 of the launch: says Finish for every element.
template <class T>
void FilterGrad(const ConvGeometry& g, const T* x, const T* dy, T* dw,
                const KernelContext& ctx);

}  // namespace sluice
