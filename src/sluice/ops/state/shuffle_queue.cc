#include "sluice/ops/state/queue_handle.h"

namespace sluice {
namespace {

SL_OP(ShuffleQueue)
    .doc("The handle of a queue that gives elements out in a random order.")
    .output("handle: resource")
    .attr("dtypes", AttrKind::kDTypes, "one per component of an element")
    .attr("shapes", std::vector<PartialShape>(),
          "one per component, or none when nothing is known")
    .attr("names", std::vector<std::string>(), "one per component, or none")
    .attr("capacity", -1, "the most elements it holds; -1: no bound")
    .attr("min_after_dequeue", 0,
          "elements kept back to mix with until the queue is closed")
    .attr("seed", 0, "of the order; 0: from the session's and the name")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kShuffle>)
    .cpu(QueueHandleKernel<QueueOrder::kShuffle>)
    .handle()
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

}  // namespace
}  // namespace sluice
