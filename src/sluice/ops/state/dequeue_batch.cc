// DequeueMany and DequeueUpTo.
#include "sluice/ops/state/dequeue_batch.h"

#include "sluice/ops/family.h"

namespace sluice {
namespace {

Status ShapesOfMany(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(int64_t n, ScalarCount(c, 1));
  return ClaimedShapes(c, 0, true, n);
}

Status ShapesOfUpTo(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN([[maybe_unused]] int64_t n, ScalarCount(c, 1));
  // The last batch of a closed queue is smaller.
  return ClaimedShapes(c, 0, true, kUnknownDim);
}

OpDefinition& DequeueBatch(OpDefinition&& op, std::string_view) {
  return op.input("handle: resource")
      .input("n: N")
      .output("components: dtypes*")
      .types("N", kIndices)
      .attr("dtypes", AttrKind::kDTypes, "the queue's")
      .attr("shapes", std::vector<PartialShape>(),
            "those of the queue's elements, as far as the graph wants to know "
            "them")
      .writes()
      .dynamic_output();
}

}  // namespace

SL_OP_OF(DequeueMany, DequeueBatch)
    .doc(
        "Takes n elements out of a queue as one batch; waits until there are "
        "n. On a queue that is closed and has fewer, an error, and they stay.")
    .shape(ShapesOfMany)
    .cpu_async(DequeueBatchKernel<false>);

SL_OP_OF(DequeueUpTo, DequeueBatch)
    .doc(
        "Takes n elements out of a queue as one batch; waits until there are "
        "n. A queue that is closed gives what is left.")
    .shape(ShapesOfUpTo)
    .cpu_async(DequeueBatchKernel<true>);

}  // namespace sluice
