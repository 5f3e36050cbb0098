// UnsortedSegmentMax, UnsortedSegmentMean, UnsortedSegmentMin,
// UnsortedSegmentProd and UnsortedSegmentSum.
#include "sluice/ops/family.h"
#include "sluice/ops/sparse/segment.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {
namespace {

OpDefinition& UnsortedSegment(OpDefinition&& op, std::string_view name) {
  return op.input("data: T")
      .input("ids: I")
      .input("num_segments: i64")
      .output("y: T")
      .shape(segment::unsorted_shape)
      .cpu_workspace(segment_workspace)
      .rejects(segment::UnsortedRejects(name));
}

}  // namespace

SL_OP_OF(UnsortedSegmentMax, UnsortedSegment)
    .doc(
        "Maxima of the parts of data that have the same id, in any order; row "
        "s of the result is for id s. Parts with a negative id are left out. A "
        "segment without parts is the smallest number of the type (minus "
        "infinity for floats). NaN goes through.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad(segment_grad::extreme_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kMax>)
    .reference(segment::unsorted_reference<segment::FoldMax>)
    .samples(segment::UnsortedSamples(/*gaps=*/false));

SL_OP_OF(UnsortedSegmentMean, UnsortedSegment)
    .doc(
        "Means of the parts of data that have the same id, in any order; row s "
        "of the result is for id s. Parts with a negative id are left out. A "
        "segment without parts is 0.")
    .types("T", kFloats)
    .types("I", kIndices)
    .grad(segment_grad::mean_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kMean>)
    .tolerance(1e-5)
    .reference(segment::unsorted_reference<segment::FoldMean>)
    .samples(segment::UnsortedSamples(/*gaps=*/true));

SL_OP_OF(UnsortedSegmentMin, UnsortedSegment)
    .doc(
        "Minima of the parts of data that have the same id, in any order; row "
        "s of the result is for id s. Parts with a negative id are left out. A "
        "segment without parts is the largest number of the type (infinity for "
        "floats). NaN goes through.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad(segment_grad::extreme_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kMin>)
    .reference(segment::unsorted_reference<segment::FoldMin>)
    .samples(segment::UnsortedSamples(/*gaps=*/false));

SL_OP_OF(UnsortedSegmentProd, UnsortedSegment)
    .doc(
        "Products of the parts of data that have the same id, in any order; "
        "row s of the result is for id s. Parts with a negative id are left "
        "out. A segment without parts is 1. Integers wrap.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad(segment_grad::prod_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kProd>)
    .tolerance(1e-5)
    .reference(segment::unsorted_reference<segment::FoldProd>)
    .samples(segment::WithZeros(segment::UnsortedSamples(/*gaps=*/true),
                                /*sorted=*/false));

SL_OP_OF(UnsortedSegmentSum, UnsortedSegment)
    .doc(
        "Sums of the parts of data that have the same id, in any order; row s "
        "of the result is for id s. Parts with a negative id are left out. A "
        "segment without parts is 0. Integers wrap.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad(segment_grad::sum_rule)
    .cpu(segment::unsorted_kernel<SegmentKind::kSum>)
    .tolerance(1e-5)
    .reference(segment::unsorted_reference<segment::FoldSum>)
    .samples(segment::UnsortedSamples(/*gaps=*/true));

}  // namespace sluice
