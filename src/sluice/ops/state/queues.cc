// FifoQueue, PaddingQueue, PriorityQueue and ShuffleQueue.
#include "sluice/ops/family.h"
#include "sluice/ops/state/queue_handle.h"

namespace sluice {
namespace {

OpDefinition& AnyQueue(OpDefinition&& op, std::string_view) {
  return op.output("handle: resource")
      .attr("dtypes", AttrKind::kDTypes, "one per component of an element")
      .attr("shapes", std::vector<PartialShape>(),
            "one per component, or none when nothing is known")
      .attr("names", std::vector<std::string>(), "one per component, or none")
      .attr("capacity", -1, "the most elements it holds; -1: no bound")
      .handle();
}

}  // namespace

SL_OP_OF(FifoQueue, AnyQueue)
    .doc(
        "The handle of a queue that gives elements out in the order they came "
        "in.")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kFifo>)
    .cpu(QueueHandleKernel<QueueOrder::kFifo>)
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>()}},
               .message = "[FifoQueue] dtypes is empty"},
              {.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}},
                         {"capacity", 0}},
               .message = "[FifoQueue] capacity is 0; wanted 1 or more"},
              {.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kResource}}},
               .message = "[FifoQueue] dtypes[0] is resource"}});

SL_OP_OF(PaddingQueue, AnyQueue)
    .doc(
        "The handle of a first-in, first-out queue whose elements may differ "
        "in the sizes its shapes leave unknown; a batch is padded with zeros "
        "to the largest.")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kPadding>)
    .cpu(QueueHandleKernel<QueueOrder::kPadding>)
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}}},
               .message = "[PaddingQueue] the rank of component 0 is not "
                          "known"}});

SL_OP_OF(PriorityQueue, AnyQueue)
    .doc(
        "The handle of a queue that gives out the element with the smallest "
        "priority first, and equal ones in the order they came in. The "
        "priority is component 0, an i64 scalar.")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kPriority>)
    .cpu(QueueHandleKernel<QueueOrder::kPriority>)
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}}},
               .message = "[PriorityQueue] dtypes[0] is f32; wanted i64"},
              {.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kI64}},
                         {"shapes", std::vector<PartialShape>{{2}}}},
               .message = "[PriorityQueue] shapes[0] is [2]; wanted []"}});

SL_OP_OF(ShuffleQueue, AnyQueue)
    .doc("The handle of a queue that gives elements out in a random order.")
    .attr("min_after_dequeue", 0,
          "elements kept back to mix with until the queue is closed")
    .attr("seed", 0, "of the order; 0: from the session's and the name")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kShuffle>)
    .cpu(QueueHandleKernel<QueueOrder::kShuffle>)
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}},
                         {"capacity", 4},
                         {"min_after_dequeue", 4}},
               .message = "[ShuffleQueue] min_after_dequeue is 4; wanted less "
                          "than capacity, which is 4"},
              {.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}},
                         {"min_after_dequeue", -1}},
               .message = "[ShuffleQueue] min_after_dequeue is -1"}});

}  // namespace sluice
