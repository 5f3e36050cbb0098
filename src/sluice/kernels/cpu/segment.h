// Segment reductions: out[s] reduces the rows of input 0 whose id, an element
// of input 1, is s. Rows are processed in order, so results never depend on the
// number of threads; half types are summed in float. Stateless; any thread.
#pragma once

#include "sluice/kernels/cpu/scatter.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

enum class SegmentKind : uint8_t { kSum, kMean, kProd, kMin, kMax };

// Empty segments are 0 (sum, mean), 1 (prod), or the largest (min) or smallest
// (max) number of the type, which is infinite for floats. Rows with a negative
// id are skipped.
// REQUIRES: output 0 is segments x inner for ids x inner rows; ids < segments.
Status ReduceSegments(KernelContext& ctx, SegmentKind kind);

// Its workspace: sums of half types in float, and counts.
int64_t segment_workspace(const ShapeContext& c);

}  // namespace sluice
