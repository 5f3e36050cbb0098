#include "sluice/ops/sparse/segment.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {

SL_OP(UnsortedSegmentMean)
    .doc(
        "Means of the parts of data that have the same id, in any order; row s "
        "of the result is for id s. Parts with a negative id are left out. A "
        "segment without parts is 0.")
    .input("data: T")
    .input("ids: I")
    .input("num_segments: i64")
    .output("y: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .shape(segment::unsorted_shape)
    .grad(segment_grad::mean_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kMean>)
    .cpu_workspace(segment_workspace)
    .tolerance(1e-5)
    .reference(segment::unsorted_reference<segment::FoldMean>)
    .samples(segment::UnsortedSamples(/*gaps=*/true))
    .rejects(segment::UnsortedRejects("UnsortedSegmentMean"));

}  // namespace sluice
