#include "sluice/ops/sparse/segment.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {

SL_OP(SegmentMin)
    .doc(
        "Minima of the rows of data that have the same id; row s of the result "
        "is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is the largest number of the type (infinity for floats). "
        "NaN goes through.")
    .input("data: T")
    .input("ids: I")
    .output("y: T")
    .types("T", kReals)
    .types("I", kIndices)
    .shape(segment::sorted_shape)
    .grad(segment_grad::extreme_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kMin>)
    .cpu_workspace(segment_workspace)
    .reference(segment::sorted_reference<segment::FoldMin>)
    .samples(segment::SortedSamples(/*gaps=*/false))
    .rejects(segment::SortedRejects("SegmentMin"));

}  // namespace sluice
