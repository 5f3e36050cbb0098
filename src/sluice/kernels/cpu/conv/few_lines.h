// Correlations with very few output channels per group whose lines lie side by
// side: input gradients of first layers, depthwise convolutions. Four lines of
// outputs are summed in registers at a time, so that what is loaded of a line
// of the image serves every tap of a column of the kernel. The lines just
// needed are kept padded in the first caches; the image itself is not copied.
//
// Every output is summed over channels, then the kernel's rows, then its
// columns, whatever the number of threads.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// Whether this is the better way for c: over a plane, with steps of one and
// more than one row of taps, and few enough channels.
template <class T>
bool FewLinesFits(const Correlation& c);

template <class T>
int64_t FewLinesWorkspace(const Correlation& c);

// y = correlation of x with w, y being output 0 of the launch: says Finish for
// every element. REQUIRES: FewLinesFits; no size of c is zero.
template <class T>
void FewLines(const Correlation& c, const T* w, const T* x, T* y,
              const KernelContext& ctx);

}  // namespace sluice
