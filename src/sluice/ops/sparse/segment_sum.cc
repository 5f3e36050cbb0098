#include "sluice/ops/sparse/segment.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {

SL_OP(SegmentSum)
    .doc(
        "Sums of the rows of data that have the same id; row s of the result "
        "is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is 0. Integers wrap.")
    .input("data: T")
    .input("ids: I")
    .output("y: T")
    .types("T", kNumbers)
    .types("I", kIndices)
    .shape(segment::sorted_shape)
    .grad(segment_grad::sum_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kSum>)
    .cpu_workspace(segment_workspace)
    .tolerance(1e-5)
    .reference(segment::sorted_reference<segment::FoldSum>)
    .samples(segment::SortedSamples(/*gaps=*/true))
    .rejects(segment::SortedRejects("SegmentSum"));

}  // namespace sluice
