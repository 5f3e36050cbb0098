#include "sluice/ops/sparse/segment.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {

SL_OP(SegmentProd)
    .doc(
        "Products of the rows of data that have the same id; row s of the "
        "result is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is 1. Integers wrap.")
    .input("data: T")
    .input("ids: I")
    .output("y: T")
    .types("T", kNumbers)
    .types("I", kIndices)
    .shape(segment::sorted_shape)
    .grad(segment_grad::prod_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kProd>)
    .cpu_workspace(segment_workspace)
    .tolerance(1e-5)
    .reference(segment::sorted_reference<segment::FoldProd>)
    .samples(segment::WithZeros(segment::SortedSamples(/*gaps=*/true),
                                /*sorted=*/true))
    .rejects(segment::SortedRejects("SegmentProd"));

}  // namespace sluice
