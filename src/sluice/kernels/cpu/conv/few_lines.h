// Correlations with very few output channels per group and contiguous lines:
// input gradients of first layers, depthwise convolutions. Four lines of
// outputs are summed in registers at a time, so that each load from a line of
// the image serves every tap of a column of the kernel. The current lines are
// kept padded in the low-level caches; the image itself is not copied.
//
// Every output is summed over channels, then the kernel's rows, then its
// columns, for any number of threads. Any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// Whether this is the faster way for c: over a plane, with steps of one and
// more than one row of taps, and few enough channels.
template <class T>
bool FewLinesFits(const Correlation& c);

template <class T>
int64_t FewLinesWorkspace(const Correlation& c);

// y = correlation of x with w; y is output 0 of the launch. Calls Finish for
// every element. REQUIRES: FewLinesFits; no size of c is zero.
template <class T>
void FewLines(const Correlation& c, const T* w, const T* x, T* y,
              const KernelContext& ctx);

}  // namespace sluice
