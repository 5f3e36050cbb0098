// Correlations as implicit matrix products: weights times columns of image
// elements, which are gathered panel by panel into the cache and never stored
// in full. Used for forward convolutions and input gradients of stride 1.
//
// Every output is summed over channels and taps in one order, for any number of
// threads. Any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// Workspace bytes of Correlate<T>.
template <class T>
int64_t CorrelateWorkspace(const Correlation& c);

// y = correlation of x with w; y is output 0 of the launch. Calls Finish for
// every element. Instantiated for float, double, f16, bf16.
template <class T>
void Correlate(const Correlation& c, const T* w, const T* x, T* y,
               const KernelContext& ctx);

}  // namespace sluice
