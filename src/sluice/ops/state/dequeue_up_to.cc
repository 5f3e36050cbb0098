#include "sluice/ops/state/dequeue_batch.h"

namespace sluice {
namespace {

Status InferShape(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN([[maybe_unused]] int64_t n, ScalarCount(c, 1));
  // The last batch of a closed queue is smaller.
  return ClaimedShapes(c, 0, true, kUnknownDim);
}

SL_OP(DequeueUpTo)
    .doc(
        "Takes n elements out of a queue as one batch; waits until there are "
        "n. A queue that is closed gives what is left.")
    .input("handle: resource")
    .input("n: N")
    .output("components: dtypes*")
    .types("N", kIndices)
    .attr("dtypes", AttrKind::kDTypes, "the queue's")
    .attr("shapes", std::vector<PartialShape>(),
          "those of the queue's elements, as far as the graph wants to know "
          "them")
    .shape(InferShape)
    .cpu_async(DequeueBatchKernel<true>)
    .writes()
    .dynamic_output()
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}}},
               .message = "[DequeueUpTo] takes 2 inputs, got 0"}});

}  // namespace
}  // namespace sluice
