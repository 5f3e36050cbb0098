#include "sluice/ops/state/queue_handle.h"

namespace sluice {
namespace {

SL_OP(PriorityQueue)
    .doc(
        "The handle of a queue that gives out the element with the smallest "
        "priority first, and equal ones in the order they came in. The "
        "priority is component 0, an i64 scalar.")
    .output("handle: resource")
    .attr("dtypes", AttrKind::kDTypes, "one per component of an element")
    .attr("shapes", std::vector<PartialShape>(),
          "one per component, or none when nothing is known")
    .attr("names", std::vector<std::string>(), "one per component, or none")
    .attr("capacity", -1, "the most elements it holds; -1: no bound")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kPriority>)
    .cpu(QueueHandleKernel<QueueOrder::kPriority>)
    .handle()
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}}},
               .message = "[PriorityQueue] dtypes[0] is f32; wanted i64"},
              {.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kI64}},
                         {"shapes", std::vector<PartialShape>{{2}}}},
               .message = "[PriorityQueue] shapes[0] is [2]; wanted []"}});

}  // namespace
}  // namespace sluice
