// Input gradients of strided convolutions (and strided transposed
// convolutions): the transposed kernel times y's gradient, each tile of the
// product added straight into the input's gradient where its taps point, while
// it is in the cache. The product itself is never written out.
//
// Every element is summed over output positions and taps in one order, whatever
// the number of threads.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

template <class T>
int64_t ScatterGradWorkspace(const ConvGeometry& g);

// dx is output 0 of the launch: says Finish for every element.
template <class T>
void ScatterGrad(const ConvGeometry& g, const T* w, const T* dy, T* dx,
                 const KernelContext& ctx);

}  // namespace sluice
