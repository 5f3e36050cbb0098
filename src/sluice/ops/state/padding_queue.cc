#include "sluice/ops/state/queue_handle.h"

namespace sluice {
namespace {

SL_OP(PaddingQueue)
    .doc(
        "The handle of a first-in, first-out queue whose elements may differ "
        "in the sizes its shapes leave unknown; a batch is padded with zeros "
        "to the largest.")
    .output("handle: resource")
    .attr("dtypes", AttrKind::kDTypes, "one per component of an element")
    .attr("shapes", std::vector<PartialShape>(),
          "one per component, or none when nothing is known")
    .attr("names", std::vector<std::string>(), "one per component, or none")
    .attr("capacity", -1, "the most elements it holds; -1: no bound")
    .attr("container", "", "container the queue lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(QueueHandleShape<QueueOrder::kPadding>)
    .cpu(QueueHandleKernel<QueueOrder::kPadding>)
    .handle()
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}}},
               .message = "[PaddingQueue] the rank of component 0 is not "
                          "known"}});

}  // namespace
}  // namespace sluice
