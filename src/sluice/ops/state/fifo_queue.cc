#include "sluice/ops/state/queue_handle.h"

namespace sluice {
namespace {

SL_OP(FifoQueue)
    .doc(
        "The handle of a queue that gives elements out in the order they came "
        "in.")
    .output("handle: resource")
    .attr("dtypes", AttrKind::kDTypes, "one per component of an element")
    .attr("shapes", std::vector<PartialShape>(),
          "one per component, or none when nothing is known")
    .attr("names", std::vector<std::string>(), "one per component, or none")
    .attr("capacity", -1, "the most elements it holds; -1: no bound")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kFifo>)
    .cpu(QueueHandleKernel<QueueOrder::kFifo>)
    .handle()
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

}  // namespace
}  // namespace sluice
