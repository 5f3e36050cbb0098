#include "sluice/ops/sparse/segment.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {

SL_OP(UnsortedSegmentMax)
    .doc(
        "Maxima of the parts of data that have the same id, in any order; row "
        "s of the result is for id s. Parts with a negative id are left out. A "
        "segment without parts is the smallest number of the type (minus "
        "infinity for floats). NaN goes through.")
    .input("data: T")
    .input("ids: I")
    .input("num_segments: i64")
    .output("y: T")
    .types("T", kReals)
    .types("I", kIndices)
    .shape(segment::unsorted_shape)
    .grad(segment_grad::extreme_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kMax>)
    .cpu_workspace(segment_workspace)
    .reference(segment::unsorted_reference<segment::FoldMax>)
    .samples(segment::UnsortedSamples(/*gaps=*/false))
    .rejects(segment::UnsortedRejects("UnsortedSegmentMax"));

}  // namespace sluice
