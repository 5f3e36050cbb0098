// Input gradients of strided convolutions (and strided transposed
// convolutions): the transposed kernel times y's gradient. Each tile of the
// product is added to the input's gradient at the positions of its taps while
// it is in the cache. The product itself is never stored.
//
// Every element is summed over output positions and taps in one order, for any
// number of threads. Any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

template <class T>
int64_t ScatterGradWorkspace(const ConvGeometry& g);

// dx is output 0 of the launch; calls Finish for every element.
template <class T>
void ScatterGrad(const ConvGeometry& g, const T* w, const T* dy, T* dx,
                 const KernelContext& ctx);

}  // namespace sluice
