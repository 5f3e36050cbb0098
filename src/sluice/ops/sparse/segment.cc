// SegmentMax, SegmentMean, SegmentMin, SegmentProd and SegmentSum.
#include "sluice/ops/sparse/segment.h"

#include "sluice/ops/family.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {
namespace {

OpDefinition& Segment(OpDefinition&& op, std::string_view name) {
  return op.input("data: T")
      .input("ids: I")
      .output("y: T")
      .shape(segment::sorted_shape)
      .cpu_workspace(segment_workspace)
      .rejects(segment::SortedRejects(name));
}

}  // namespace

SL_OP_OF(SegmentMax, Segment)
    .doc(
        "Maxima of the rows of data that have the same id; row s of the result "
        "is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is the smallest number of the type (minus infinity for "
        "floats). NaN goes through.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad(segment_grad::extreme_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kMax>)
    .reference(segment::sorted_reference<segment::FoldMax>)
    .samples(segment::SortedSamples(/*gaps=*/false));

SL_OP_OF(SegmentMean, Segment)
    .doc(
        "Means of the rows of data that have the same id; row s of the result "
        "is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is 0.")
    .types("T", kFloats)
    .types("I", kIndices)
    .grad(segment_grad::mean_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kMean>)
    .tolerance(1e-5)
    .reference(segment::sorted_reference<segment::FoldMean>)
    .samples(segment::SortedSamples(/*gaps=*/true));

SL_OP_OF(SegmentMin, Segment)
    .doc(
        "Minima of the rows of data that have the same id; row s of the result "
        "is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is the largest number of the type (infinity for floats). "
        "NaN goes through.")
    .types("T", kReals)
    .types("I", kIndices)
    .grad(segment_grad::extreme_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kMin>)
    .reference(segment::sorted_reference<segment::FoldMin>)
    .samples(segment::SortedSamples(/*gaps=*/false));

SL_OP_OF(SegmentProd, Segment)
    .doc(
        "Products of the rows of data that have the same id; row s of the "
        "result is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is 1. Integers wrap.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad(segment_grad::prod_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kProd>)
    .tolerance(1e-5)
    .reference(segment::sorted_reference<segment::FoldProd>)
    .samples(segment::WithZeros(segment::SortedSamples(/*gaps=*/true),
                                /*sorted=*/true));

SL_OP_OF(SegmentSum, Segment)
    .doc(
        "Sums of the rows of data that have the same id; row s of the result "
        "is for id s. Ids begin at 0 or later and never fall. A segment "
        "without rows is 0. Integers wrap.")
    .types("T", kNumbers)
    .types("I", kIndices)
    .grad(segment_grad::sum_rule)
    .cpu(segment::sorted_kernel<SegmentKind::kSum>)
    .tolerance(1e-5)
    .reference(segment::sorted_reference<segment::FoldSum>)
    .samples(segment::SortedSamples(/*gaps=*/true));

}  // namespace sluice
