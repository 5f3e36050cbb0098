#include "sluice/front/feed.h"

#include "sluice/base/strings.h"
#include "sluice/eager/other_graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Status InNoRegion(const Node& node) {
  const Region* region = node.region();
  const Node* owner = region->owner();
  if (!owner) return OkStatus();
  return InvalidArgument(
      StrCat("\"", node.is_args() ? region->label() : node.name(),
             "\" is inside the region \"", region->label(), "\" of ",
             owner->op().name, " \"", owner->name(), "\" at ", owner->line(),
             ", where a step has it many times or never; wanted it among the "
             "results of the ",
             owner->op().name));
}

Result<Value> Fetch::In(Graph& graph) const {
  if (tensor_.defined()) {
    if (&tensor_.graph() == &graph) {
      SL_RETURN_IF_ERROR(InNoRegion(*tensor_.value().node));
      return tensor_.value();
    }
    return InvalidArgument(front_internal::OtherGraph(
        tensor_.name(), *tensor_.value().node, tensor_.graph(), graph,
        "a value of the session's"));
  }
  if (name_.empty()) {
    return InvalidArgument("a feed or fetch is a Tensor that holds nothing");
  }
  MutexLock lock(graph.mu());
  SL_ASSIGN_OR_RETURN(Value value, graph.FindValue(name_));
  SL_RETURN_IF_ERROR(InNoRegion(*value.node));
  return value;
}

}  // namespace sluice
