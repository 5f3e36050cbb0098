// Segment reductions: out[s] gathers the rows of input 0 whose id, an element
// of input 1, is s. Rows are gathered in order, so results never depend on the
// number of threads; halves are summed in float.
#pragma once

#include "sluice/kernels/cpu/scatter.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

enum class SegmentKind : uint8_t { kSum, kMean, kProd, kMin, kMax };

// Segments without rows are 0 (sum, mean), 1 (prod), or the largest (min) or
// smallest (max) number of the type, which is infinite for floats. Rows with a
// negative id are left out.
// REQUIRES: output 0 is segments x inner for ids x inner rows; ids < segments.
Status ReduceSegments(KernelContext& ctx, SegmentKind kind);

// Scratch for it: sums of halves in float, and counts.
int64_t segment_workspace(const ShapeContext& c);

}  // namespace sluice
