// Kernel gradients of convolutions with very few input channels, above all the
// first ones of networks. A kernel element is the inner product of a channel of
// y's gradient with a shifted channel of the image. Lines of both are read in
// place, for some channels and taps at a time, so nothing is packed for the few
// sums it would serve.
//
// Lines are distributed over a number of partial sums that depends only on the
// shapes, and these are added in order: the result does not depend on the
// number of threads. Any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// Whether this is the faster way for g.
bool LineFilterGradFits(const ConvGeometry& g);

template <class T>
int64_t LineFilterGradWorkspace(const ConvGeometry& g);

// dw is output 0 of the launch; calls Finish for every element.
// REQUIRES: no size of g is zero; at least kLeastLine outputs on a line.
inline constexpr int64_t kLeastLine = 8;
template <class T>
void LineFilterGrad(const ConvGeometry& g, const T* x, const T* dy, T* dw,
                    const KernelContext& ctx);

}  // namespace sluice
