#include "sluice/ops/sparse/segment.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {

SL_OP(UnsortedSegmentMin)
    .doc(
        "Minima of the parts of data that have the same id, in any order; row "
        "s of the result is for id s. Parts with a negative id are left out. A "
        "segment without parts is the largest number of the type (infinity for "
        "floats). NaN goes through.")
    .input("data: T")
    .input("ids: I")
    .input("num_segments: i64")
    .output("y: T")
    .types("T", kReals)
    .types("I", kIndices)
    .shape(segment::unsorted_shape)
    .grad(segment_grad::extreme_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kMin>)
    .cpu_workspace(segment_workspace)
    .reference(segment::unsorted_reference<segment::FoldMin>)
    .samples(segment::UnsortedSamples(/*gaps=*/false))
    .rejects(segment::UnsortedRejects("UnsortedSegmentMin"));

}  // namespace sluice
