// SegmentMax, SegmentMean, SegmentMin, SegmentProd and SegmentSum, and the same
// of ids in any order: UnsortedSegmentMax and so on.
#include "sluice/ops/sparse/segment.h"

#include "sluice/ops/family.h"
#include "sluice/ops/sparse/segment_grad.h"

namespace sluice {
namespace {

using segment_grad::extreme_rule;
using segment_grad::mean_rule;
using segment_grad::prod_rule;
using segment_grad::sum_rule;

// The properties of one reduction, for any order of ids.
struct Reduction {
  const char* plural;  // "Sums"
  const char* empty;   // the result for an empty segment
  const char* more;    // the end of its doc
  DTypeSet types;
  GradFn grad;
  double tolerance;
  bool gaps;   // samples have segments without rows
  bool zeros;  // and zeros among the data
};

constexpr Reduction kMax{
    "Maxima",
    "the smallest number of the type (minus infinity for floats)",
    " NaN goes through.",
    kReals,
    extreme_rule,
    0,
    false,
    false};
constexpr Reduction kMean{"Means",   "0",  "",   kFloats,
                          mean_rule, 1e-5, true, false};
constexpr Reduction kMin{"Minima",
                         "the largest number of the type (infinity for floats)",
                         " NaN goes through.",
                         kReals,
                         extreme_rule,
                         0,
                         false,
                         false};
constexpr Reduction kProd{
    "Products", "1", " Integers wrap.", kNumbers, prod_rule, 1e-5, true, true};
constexpr Reduction kSum{
    "Sums", "0", " Integers wrap.", kNumbers, sum_rule, 1e-5, true, false};

OpDefinition& Described(OpDefinition& op, const Reduction& r) {
  return op.output("y: T")
      .types("T", r.types)
      .types("I", kIndices)
      .grad(r.grad)
      .cpu_workspace(segment_workspace)
      .tolerance(r.tolerance);
}

template <const Reduction& r, SegmentKind kKind, auto kFold>
OpDefinition& Sorted(OpDefinition&& op, std::string_view name) {
  std::vector<Sample> samples = segment::SortedSamples(r.gaps);
  return Described(op.input("data: T").input("ids: I"), r)
      .doc(StrCat(r.plural,
                  " of the rows of data that have the same id; row s of the "
                  "result is for id s. Ids begin at 0 or later and never fall. "
                  "A segment without rows is ",
                  r.empty, ".", r.more))
      .shape(segment::sorted_shape)
      .cpu(segment::sorted_kernel<kKind>)
      .reference(segment::sorted_reference<kFold>)
      .samples(r.zeros ? segment::WithZeros(samples, /*sorted=*/true) : samples)
      .rejects(segment::SortedRejects(name));
}

template <const Reduction& r, SegmentKind kKind, auto kFold>
OpDefinition& Unsorted(OpDefinition&& op, std::string_view name) {
  std::vector<Sample> samples = segment::UnsortedSamples(r.gaps);
  return Described(
             op.input("data: T").input("ids: I").input("num_segments: i64"), r)
      .doc(StrCat(r.plural,
                  " of the parts of data that have the same id, in any order; "
                  "row s of the result is for id s. Parts with a negative id "
                  "are left out. A segment without parts is ",
                  r.empty, ".", r.more))
      .shape(segment::unsorted_shape)
      .cpu(segment::unsorted_kernel<kKind>)
      .reference(segment::unsorted_reference<kFold>)
      .samples(r.zeros ? segment::WithZeros(samples, /*sorted=*/false)
                       : samples)
      .rejects(segment::UnsortedRejects(name));
}

}  // namespace

SL_OP_OF(SegmentMax, Sorted<kMax, SegmentKind::kMax, segment::FoldMax>);
SL_OP_OF(SegmentMean, Sorted<kMean, SegmentKind::kMean, segment::FoldMean>);
SL_OP_OF(SegmentMin, Sorted<kMin, SegmentKind::kMin, segment::FoldMin>);
SL_OP_OF(SegmentProd, Sorted<kProd, SegmentKind::kProd, segment::FoldProd>);
SL_OP_OF(SegmentSum, Sorted<kSum, SegmentKind::kSum, segment::FoldSum>);

SL_OP_OF(UnsortedSegmentMax,
         Unsorted<kMax, SegmentKind::kMax, segment::FoldMax>);
SL_OP_OF(UnsortedSegmentMean,
         Unsorted<kMean, SegmentKind::kMean, segment::FoldMean>);
SL_OP_OF(UnsortedSegmentMin,
         Unsorted<kMin, SegmentKind::kMin, segment::FoldMin>);
SL_OP_OF(UnsortedSegmentProd,
         Unsorted<kProd, SegmentKind::kProd, segment::FoldProd>);
SL_OP_OF(UnsortedSegmentSum,
         Unsorted<kSum, SegmentKind::kSum, segment::FoldSum>);

}  // namespace sluice
