#include "sluice/ops/state/dequeue_batch.h"

namespace sluice {
namespace {

Status InferShape(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(int64_t n, ScalarCount(c, 1));
  return ClaimedShapes(c, 0, true, n);
}

SL_OP(DequeueMany)
    .doc(
        "Takes n elements out of a queue as one batch; waits until there are "
        "n. On a queue that is closed and has fewer, an error, and they stay.")
    .input("handle: resource")
    .input("n: N")
    .output("components: dtypes*")
    .types("N", kIndices)
    .attr("dtypes", AttrKind::kDTypes, "the queue's")
    .attr("shapes", std::vector<PartialShape>(),
          "those of the queue's elements, as far as the graph wants to know "
          "them")
    .shape(InferShape)
    .cpu_async(DequeueBatchKernel<false>)
    .writes()
    .dynamic_output()
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}}},
               .message = "[DequeueMany] takes 2 inputs, got 0"}});

}  // namespace
}  // namespace sluice
